#include "net/http/handlers/transaction.hpp"

#include "net/http/handlers/ack.hpp"
#include "net/http/handlers/kv_ops.hpp"
#include "net/http/handlers/push.hpp"
#include "net/http/handlers/refusals.hpp"
#include "net/http/handlers/timer_ops.hpp"

namespace queen::net {

namespace {

constexpr size_t kv_ops_max = 64;
constexpr size_t kv_keys_max = 256;

void begin_refusal(json_writer& out, const domain::uuid& id,
                   std::string_view reason, std::string_view message) {
  out.begin_object()
    .id("transactionId", id)
    .boolean("success", false)
    .text("reason", reason)
    .text("error", message);
}

void end_refusal(json_writer& out) {
  out.key("results").begin_array().end_array().end_object();
}

/// Reads the parts one after the other; the first problem is the answer.
class transaction_reader {
public:
  transaction_reader(const http_call& call, const limits& bounds,
                     id_source& ids)
    : call_(call), bounds_(bounds), ids_(ids) {
    out_.request_id = ids.next();
    out_.tenant = call.tenant;
    out_.kind = domain::call_kind::transaction;
  }

  parsed<domain::transaction> read() {
    auto body = read_object(call_);
    if (!body.problem.empty())
      return refused("bad_request", body.problem);
    auto root = body.document->root();
    auto operations = read_objects(root, "operations");
    auto kv = read_objects(root, "kv");
    auto timers = read_objects(root, "timers");
    for (const auto* list : {&operations, &kv, &timers})
      if (!list->problem.empty())
        return refused("bad_request", list->problem);
    if (operations.elements.empty() && kv.elements.empty() &&
        timers.elements.empty())
      return refused("bad_request",
                     "one of operations, kv and timers must not be empty");
    if (!check_types(operations.elements) || !read_leases(root) ||
        !read_operations(operations.elements) || !read_kv(kv.elements) ||
        !read_timers(timers.elements))
      return std::move(*answer_);
    return std::move(out_);
  }

private:
  rendered refused(std::string_view reason, std::string_view message,
                   unsigned status = 400) {
    json_writer out;
    begin_refusal(out, out_.request_id, reason, message);
    if (status != 200)
      out.text("code", reason);
    end_refusal(out);
    return {status, out.take(), {}};
  }

  bool refuse(std::string_view reason, std::string_view message,
              unsigned status = 400) {
    answer_ = refused(reason, message, status);
    return false;
  }

  bool refuse(const problem& why) {
    return why.what == problem::kind::name_too_long
             ? refuse("name_too_long", why.message, 200)
             : refuse("bad_request", why.message);
  }

  /// Before anything else is looked at (spec: HTTP 400, nothing written).
  bool check_types(const std::vector<json_value>& operations) {
    for (const auto& operation : operations) {
      auto type = operation.find("type");
      auto word = type ? type->text() : std::nullopt;
      if (!word || (*word != "push" && *word != "ack"))
        return refuse("bad_request",
                      "transaction supports only push and ack operations");
    }
    return true;
  }

  bool read_leases(json_value root) {
    auto leases = root.find("requiredLeases");
    if (!leases)
      return true;
    if (!leases->is(json_kind::array))
      return refuse("bad_request", "requiredLeases must be an array, not " +
                                     std::string{article_of(leases->kind())});
    return leases->each([&](json_value element) {
      auto lease = element.text();
      if (!lease)
        return refuse("bad_request",
                      indexed("requiredLeases", out_.required_leases.size()) +
                        " must be a string");
      out_.required_leases.push_back(std::move(*lease));
      return true;
    });
  }

  bool read_operations(const std::vector<json_value>& operations) {
    static const std::string queue_mode{domain::queue_mode_group};
    problem why;
    for (size_t i = 0; i < operations.size(); ++i) {
      const auto& operation = operations[i];
      auto where = indexed("operations", i);
      if (operation.find("type")->text() == "ack") {
        out_.acks.push_back(
          read_ack(operation, std::move(where), queue_mode, bounds_, why));
        if (!why.message.empty())
          return refuse(why);
      } else if (!read_push(operation, where)) {
        return false;
      }
    }
    return true;
  }

  bool read_push(json_value operation, const std::string& where) {
    auto items = read_objects(operation, "items");
    if (!items.problem.empty())
      return refuse("bad_request", where + "." + items.problem);
    if (!items.present)
      return read_item(operation, where);
    for (size_t i = 0; i < items.elements.size(); ++i)
      if (!read_item(items.elements[i], where + "." + indexed("items", i)))
        return false;
    return true;
  }

  bool read_item(json_value item, std::string where) {
    problem why;
    out_.pushes.push_back(read_push_item(item, std::move(where),
                                         push_form::in_transaction, call_,
                                         bounds_, ids_, why));
    return why.message.empty() || refuse(why);
  }

  bool read_kv(const std::vector<json_value>& elements) {
    kv_rules rules;
    rules.ops_max = kv_ops_max;
    rules.keys_max = kv_keys_max;
    rules.in_transaction = true;
    auto wrong = read_kv_ops(elements, "kv", rules, bounds_, out_.kv);
    return !wrong ||
           refuse(wrong->reason, wrong->detail, wrong->too_large ? 413 : 400);
  }

  bool read_timers(const std::vector<json_value>& elements) {
    auto wrong = read_timer_ops(elements, "timers", bounds_, ids_, out_.timers);
    if (!wrong)
      return true;
    return wrong->what == timer_refusal::kind::name_too_long
             ? refuse("name_too_long", wrong->detail, 200)
             : refuse(wrong->reason, wrong->detail);
  }

  const http_call& call_;
  const limits& bounds_;
  id_source& ids_;
  domain::transaction out_;
  std::optional<rendered> answer_;
};

rendered render_rollback(const domain::transaction& asked,
                         const domain::transaction_reply& reply) {
  json_writer out;
  begin_refusal(out, asked.request_id, to_string(reply.reason),
                refusal_text(reply));
  if (reply.reason == domain::refusal::kv_precondition)
    out
      .number("failedIndex",
              asked.acks.size() + asked.pushes.size() + reply.failed_kv)
      .text("kvReason", to_string(reply.lost.reason))
      .number("version", reply.lost.version)
      .raw("value", reply.lost.value);
  end_refusal(out);
  return {200, out.take(), {}};
}

size_t expected_bytes(const domain::transaction& asked,
                      const domain::transaction_reply& reply) {
  size_t bytes = 256 + asked.acks.size() * 160 + asked.pushes.size() * 260 +
                 asked.timers.size() * 300;
  for (const auto& result : reply.kv)
    bytes += 160 + result.key.size() + result.value.size();
  return bytes;
}

void write_ack(json_writer& out, const domain::ack_item& asked,
               const domain::ack_result& result) {
  out.text("type", "ack")
    .boolean("success", result.success)
    .text("transactionId", asked.transaction_id)
    .text_or_null("error", result.error)
    .boolean("dlq", result.dlq);
}

void write_push(json_writer& out, const domain::push_item& asked,
                const domain::push_result& result) {
  out.text("type", "push").boolean("success", true);
  if (result.duplicate)
    out.boolean("duplicate", true);
  out.text("transactionId", asked.transaction_id)
    .id("messageId", result.message_id)
    .text("queueName", asked.queue)
    .number("offset", result.offset);
}

} // namespace

parsed<domain::transaction>
parse_transaction(const http_call& call, const limits& bounds, id_source& ids) {
  return transaction_reader{call, bounds, ids}.read();
}

rendered render_transaction(const domain::transaction& asked,
                            const domain::transaction_reply& reply) {
  if (reply.reason != domain::refusal::none)
    return render_rollback(asked, reply);
  json_writer out{expected_bytes(asked, reply)};
  out.begin_object()
    .id("transactionId", asked.request_id)
    .boolean("success", true)
    .key("results")
    .begin_array();
  size_t index = 0;
  for (size_t i = 0; i < reply.acks.size(); ++i) {
    out.begin_object().number("index", index++);
    write_ack(out, asked.acks[i], reply.acks[i]);
    out.end_object();
  }
  for (size_t i = 0; i < reply.pushes.size(); ++i) {
    out.begin_object().number("index", index++);
    write_push(out, asked.pushes[i], reply.pushes[i]);
    out.end_object();
  }
  for (size_t i = 0; i < reply.kv.size(); ++i) {
    out.begin_object()
      .number("index", index++)
      .text("type", "kv")
      .number("opIndex", i);
    write_kv_result(out, reply.kv[i]);
    out.end_object();
  }
  for (size_t i = 0; i < reply.timers.size(); ++i) {
    out.begin_object()
      .number("index", index++)
      .text("type", "timer")
      .number("opIndex", i);
    write_timer_result(out, asked.timers[i], reply.timers[i]);
    out.end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

rendered render_transaction_error(const domain::uuid& transaction_id,
                                  const error& reason) {
  // A fault of the broker is a verdict here: nothing was written, and the
  // reason is in the closed set.
  bool fault = reason.code == errc::internal;
  unsigned status = fault ? 200 : status_of(reason.code);
  auto word = to_string(reason.code);
  json_writer out;
  begin_refusal(out, transaction_id, word,
                reason.detail.empty() ? meaning(reason.code)
                                      : std::string_view{reason.detail});
  if (status != 200)
    out.text("code", word);
  end_refusal(out);
  rendered answer{status, out.take(), {}};
  add_retry_after(answer, reason.code);
  return answer;
}

} // namespace queen::net
