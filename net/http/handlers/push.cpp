#include "net/http/handlers/push.hpp"

#include "net/http/handlers/json_writer.hpp"
#include "net/http/handlers/refusals.hpp"

namespace queen::net {

namespace {

std::optional<json_value> payload_of(const fields& item, push_form form) {
  auto payload = item.any("payload");
  if (!payload && form == push_form::in_transaction)
    payload = item.any("data");
  return payload;
}

} // namespace

domain::push_item read_push_item(json_value item, std::string where,
                                 push_form form, const http_call& call,
                                 const limits& bounds, id_source& ids,
                                 problem& why) {
  static const domain::slice braces = domain::slice::own("{}");
  fields in{item, std::move(where)};
  domain::push_item out;
  out.queue = in.required_text("queue");
  in.bound_name("queue", out.queue, bounds.name_bytes_max);
  if (auto partition = in.optional_text("partition"))
    out.partition = std::move(*partition);
  in.bound_name("partition", out.partition, bounds.name_bytes_max);
  out.message_id = ids.next();
  out.transaction_id =
    in.optional_text("transactionId").value_or(std::string{});
  in.bound_text("transactionId", out.transaction_id, transaction_id_bytes_max);
  // An empty id would make all its messages duplicates of each other.
  out.minted = out.transaction_id.empty();
  if (out.minted)
    out.transaction_id = domain::to_string(out.message_id);
  if (auto trace = in.any("traceId"))
    if (auto text = trace->text())
      out.trace_id = domain::parse_uuid(*text);
  if (auto payload = payload_of(in, form))
    out.payload = payload->raw_slice();
  else if (form == push_form::in_transaction)
    out.payload = braces;
  else
    in.fail("payload", "is required");
  out.producer_sub = call.producer_sub;
  if (in.failed())
    why = in.why();
  return out;
}

parsed<domain::transaction> parse_push(const http_call& call,
                                       const limits& bounds, id_source& ids) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  auto items = read_objects(body.document->root(), "items");
  if (!items.present)
    return plain_error(errc::bad_request, "items is required");
  if (!items.problem.empty())
    return plain_error(errc::bad_request, items.problem);
  if (items.elements.empty())
    return rendered{201, "[]", {}};
  domain::transaction out;
  out.request_id = ids.next();
  out.tenant = call.tenant;
  out.kind = domain::call_kind::push;
  out.pushes.reserve(items.elements.size());
  problem why;
  for (size_t i = 0; i < items.elements.size(); ++i) {
    out.pushes.push_back(read_push_item(items.elements[i], indexed("items", i),
                                        push_form::plain, call, bounds, ids,
                                        why));
    if (!why.message.empty())
      return plain_error(errc::bad_request, why.message);
  }
  return out;
}

rendered render_push(const domain::transaction& asked,
                     const domain::transaction_reply& reply) {
  if (reply.reason == domain::refusal::internal)
    return refused_call(reply);
  bool refused = reply.reason != domain::refusal::none ||
                 reply.pushes.size() != asked.pushes.size();
  json_writer out{asked.pushes.size() * 220 + 16};
  out.begin_array();
  for (size_t i = 0; i < asked.pushes.size(); ++i) {
    const auto& item = asked.pushes[i];
    out.begin_object().number("index", i);
    if (refused) {
      out.id("message_id", item.message_id);
    } else {
      out.id("message_id", reply.pushes[i].message_id);
    }
    out.text("transaction_id", item.transaction_id)
      .text("transactionId", item.transaction_id)
      .text("queueName", item.queue);
    if (refused)
      out.text("status", "error").text("error", refusal_text(reply));
    else
      out.text("status", reply.pushes[i].duplicate ? "duplicate" : "queued")
        .number("offset", reply.pushes[i].offset);
    out.end_object();
  }
  out.end_array();
  return {201, out.take(), {}};
}

} // namespace queen::net
