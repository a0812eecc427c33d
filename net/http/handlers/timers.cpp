#include "net/http/handlers/timers.hpp"

#include "net/http/handlers/base64.hpp"
#include "net/http/handlers/refusals.hpp"
#include "net/http/handlers/timer_ops.hpp"

namespace queen::net {

namespace {

rendered refused(unsigned status, std::string_view error,
                 std::string_view reason, std::string_view detail) {
  json_writer out;
  out.begin_object()
    .text("error", error)
    .text("reason", reason)
    .text("detail", detail)
    .end_object();
  return {status, out.take(), {}};
}

rendered malformed(std::string_view reason, std::string_view detail) {
  return refused(400, "timers_bad_request", reason, detail);
}

domain::transaction empty_call(const http_call& call, id_source& ids) {
  domain::transaction out;
  out.request_id = ids.next();
  out.tenant = call.tenant;
  out.kind = domain::call_kind::timers;
  return out;
}

/// Here what a transaction would take as a verdict ends the call.
std::optional<rendered> over_ceiling(const std::vector<domain::timer_op>& ops,
                                     const limits& bounds) {
  for (size_t i = 0; i < ops.size(); ++i) {
    auto where = indexed("operations", i);
    if (ops[i].beyond_horizon)
      return refused(403, "timer_horizon_exceeded", "timer_horizon_exceeded",
                     where + " is due in more than " +
                       std::to_string(bounds.timer_horizon_s) + " seconds");
    if (ops[i].payload_too_large)
      return refused(413, "payload_too_large", "timers_payload_too_large",
                     where + ".payload has more than " +
                       std::to_string(bounds.timer_payload_bytes_max) +
                       " bytes");
  }
  return std::nullopt;
}

std::optional<rendered> read_path(const http_call& call, const limits& bounds,
                                  std::string& queue, std::string& key) {
  if (call.path.size() > 0)
    queue = call.path[0];
  if (call.path.size() > 1)
    key = call.path[1];
  for (const auto& [what, name] :
       {std::pair{"queue", &queue}, std::pair{"timerKey", &key}}) {
    auto wrong = path_problem(what, *name, bounds);
    if (!wrong.empty())
      return malformed("timers_bad_name", wrong);
  }
  return std::nullopt;
}

void write_timer(json_writer& out, const domain::timer_view& timer) {
  out.text("queue", timer.queue)
    .text("timerKey", timer.timer_key)
    .text("partition", timer.partition)
    .time("deliverAt", timer.deliver_at)
    .text("txn", timer.txn)
    .id("messageId", timer.message_id)
    .text("payload", to_base64(timer.payload))
    .number("attempts", timer.attempts)
    .text_or_null("lastError", timer.last_error)
    .time("createdAt", timer.created_at);
}

} // namespace

parsed<domain::transaction> parse_timers(const http_call& call,
                                         const limits& bounds, id_source& ids) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return malformed("timers_bad_body", body.problem);
  auto list = read_objects(body.document->root(), "operations");
  if (!list.problem.empty())
    return malformed("timers_bad_body", list.problem);
  if (list.elements.empty())
    return malformed("timers_bad_body",
                     "operations must have 1 to 256 elements");
  auto out = empty_call(call, ids);
  if (auto wrong =
        read_timer_ops(list.elements, "operations", bounds, ids, out.timers))
    return malformed(wrong->reason, wrong->detail);
  if (auto answer = over_ceiling(out.timers, bounds))
    return std::move(*answer);
  return out;
}

rendered render_timers(const domain::transaction& asked,
                       const domain::transaction_reply& reply) {
  if (reply.reason != domain::refusal::none)
    return refused_call(reply);
  json_writer out{64 + reply.timers.size() * 300};
  out.begin_object().key("results").begin_array();
  for (size_t i = 0; i < reply.timers.size(); ++i) {
    out.begin_object();
    write_timer_result(out, asked.timers[i], reply.timers[i]);
    out.end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

parsed<domain::transaction> parse_timer_cancel(const http_call& call,
                                               const limits& bounds,
                                               id_source& ids) {
  domain::timer_op op;
  op.kind = domain::timer_op_kind::cancel;
  if (auto answer = read_path(call, bounds, op.queue, op.timer_key))
    return std::move(*answer);
  query_reader query{call.query};
  op.txn = query.text("txn").value_or(std::string{});
  if (op.txn.size() > transaction_id_bytes_max)
    query.fail("txn is longer than 65535 bytes");
  if (query.failed())
    return malformed("timers_bad_txn", query.problem());
  auto out = empty_call(call, ids);
  out.timers.push_back(std::move(op));
  return out;
}

rendered render_timer_cancel(const domain::transaction& asked,
                             const domain::transaction_reply& reply) {
  if (reply.reason != domain::refusal::none || reply.timers.empty())
    return refused_call(reply);
  json_writer out;
  out.begin_object();
  write_timer_result(out, asked.timers.front(), reply.timers.front());
  out.end_object();
  return {200, out.take(), {}};
}

parsed<domain::peek_timer> parse_timer_peek(const http_call& call,
                                            const limits& bounds) {
  domain::peek_timer out;
  out.tenant = call.tenant;
  if (auto answer = read_path(call, bounds, out.queue, out.timer_key))
    return std::move(*answer);
  return out;
}

rendered render_timer_peek(const domain::peek_timer_reply& reply) {
  if (!reply.timer)
    return {200, R"({"found":false})", {}};
  json_writer out{512 + reply.timer->payload.size() * 4 / 3};
  out.begin_object().boolean("found", true);
  write_timer(out, *reply.timer);
  out.end_object();
  return {200, out.take(), {}};
}

parsed<domain::list_timers> parse_timer_list(const http_call& call,
                                             const limits& bounds) {
  domain::list_timers out;
  out.tenant = call.tenant;
  std::string no_key;
  if (auto answer = read_path(call, bounds, out.queue, no_key))
    return std::move(*answer);
  query_reader query{call.query};
  if (auto mode = query.text("mode")) {
    if (*mode == "count")
      out.count_only = true;
    else if (*mode != "list")
      query.fail("mode must be list or count");
  }
  out.after = query.text("after").value_or(std::string{});
  out.prefix = query.text("prefix").value_or(std::string{});
  out.limit =
    static_cast<uint32_t>(query.integer("limit", 1, 1000).value_or(out.limit));
  if (query.failed())
    return malformed("timers_bad_query", query.problem());
  return out;
}

rendered render_timer_list(const domain::list_timers& asked,
                           const domain::list_timers_reply& reply) {
  json_writer out{256 + reply.rows.size() * 512};
  out.begin_object();
  if (asked.count_only) {
    out.number("count", reply.count).end_object();
    return {200, out.take(), {}};
  }
  out.key("rows").begin_array();
  for (const auto& row : reply.rows) {
    out.begin_object();
    write_timer(out, row);
    out.end_object();
  }
  out.end_array()
    .boolean("truncated", reply.truncated)
    .text_or_null("nextAfter", reply.next_after)
    .end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
