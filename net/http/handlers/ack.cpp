#include "net/http/handlers/ack.hpp"

#include "net/http/handlers/json_writer.hpp"
#include "net/http/handlers/refusals.hpp"

#include <charconv>

namespace queen::net {

namespace {

/// Everything that is not a known word is a failure (spec/transaction.md,
/// ack), whatever its type: a message is not lost because a client misspelled.
domain::ack_status read_status(const std::optional<json_value>& value) {
  using domain::ack_status;
  if (!value || value->is(json_kind::null))
    return ack_status::completed;
  auto word = value->text();
  if (!word)
    return ack_status::failed;
  for (auto complete : {"completed", "success", "acked", "ok"})
    if (*word == complete)
      return ack_status::completed;
  if (*word == "retry")
    return ack_status::retry;
  if (*word == "dlq")
    return ack_status::dlq;
  return ack_status::failed;
}

/// 0 for a text that cannot be one: an unknown partition, not a bad request.
domain::partition_id read_partition(const std::string& text) {
  domain::partition_id id = 0;
  const char* end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, id);
  bool canonical = code == std::errc{} && stop == end && text[0] != '0';
  return canonical ? id : 0;
}

domain::transaction empty_call(const http_call& call, id_source& ids) {
  domain::transaction out;
  out.request_id = ids.next();
  out.tenant = call.tenant;
  out.kind = domain::call_kind::ack;
  return out;
}

} // namespace

domain::ack_item read_ack(json_value item, std::string where,
                          const std::string& group, const limits& bounds,
                          problem& why) {
  fields in{item, std::move(where)};
  domain::ack_item out;
  out.transaction_id = in.required_text("transactionId");
  if (out.transaction_id.empty())
    in.fail("transactionId", "must not be empty");
  in.bound_text("transactionId", out.transaction_id, transaction_id_bytes_max);
  auto partition = in.required_text("partitionId");
  if (partition.empty())
    in.fail("partitionId", "must not be empty");
  out.partition = read_partition(partition);
  out.group = in.optional_text("consumerGroup").value_or(std::string{});
  if (out.group.empty())
    out.group = group;
  in.bound_name("consumerGroup", out.group, bounds.name_bytes_max);
  out.lease_id = in.optional_text("leaseId");
  out.status = read_status(in.any("status"));
  out.error = in.free_text("error");
  if (in.failed())
    why = in.why();
  return out;
}

parsed<domain::transaction> parse_ack(const http_call& call,
                                      const limits& bounds, id_source& ids) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  auto out = empty_call(call, ids);
  problem why;
  out.acks.push_back(read_ack(body.document->root(), {},
                              std::string{domain::queue_mode_group}, bounds,
                              why));
  if (!why.message.empty())
    return plain_error(errc::bad_request, why.message);
  return out;
}

parsed<domain::transaction>
parse_ack_batch(const http_call& call, const limits& bounds, id_source& ids) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  auto root = body.document->root();
  auto list = read_objects(root, "acknowledgments");
  if (!list.present)
    return plain_error(errc::bad_request, "acknowledgments is required");
  if (!list.problem.empty())
    return plain_error(errc::bad_request, list.problem);
  fields top{root, {}};
  auto group = top.optional_text("consumerGroup").value_or(std::string{});
  if (top.failed())
    return plain_error(errc::bad_request, top.why().message);
  if (group.empty())
    group = domain::queue_mode_group;
  if (list.elements.empty())
    return rendered{200, "[]", {}};
  auto out = empty_call(call, ids);
  out.acks.reserve(list.elements.size());
  problem why;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    out.acks.push_back(read_ack(list.elements[i], indexed("acknowledgments", i),
                                group, bounds, why));
    if (!why.message.empty())
      return plain_error(errc::bad_request, why.message);
  }
  return out;
}

rendered render_ack(const domain::transaction& asked,
                    const domain::transaction_reply& reply) {
  if (reply.reason == domain::refusal::internal)
    return refused_call(reply);
  // A call that was refused as a whole (an entry too large) acked nothing.
  domain::ack_result refused;
  refused.error = refusal_text(reply);
  bool whole = reply.reason == domain::refusal::none &&
               reply.acks.size() == asked.acks.size();
  json_writer out{asked.acks.size() * 160 + 16};
  out.begin_array();
  for (size_t i = 0; i < asked.acks.size(); ++i) {
    const auto& result = whole ? reply.acks[i] : refused;
    out.begin_object()
      .number("index", i)
      .text("transactionId", asked.acks[i].transaction_id)
      .boolean("success", result.success)
      .text_or_null("error", result.error)
      .boolean("leaseReleased", result.lease_released)
      .boolean("dlq", result.dlq)
      .boolean("noop", result.noop)
      .end_object();
  }
  out.end_array();
  return {200, out.take(), {}};
}

} // namespace queen::net
