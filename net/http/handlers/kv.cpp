#include "net/http/handlers/kv.hpp"

#include "net/http/handlers/json_text.hpp"
#include "net/http/handlers/kv_ops.hpp"
#include "net/http/handlers/refusals.hpp"

namespace queen::net {

namespace {

rendered refused(const op_refusal& why) {
  json_writer out;
  out.begin_object()
    .text("error", why.too_large ? "payload_too_large" : "kv_bad_request")
    .text("reason", why.reason)
    .text("detail", why.detail)
    .end_object();
  return {why.too_large ? 413u : 400u, out.take(), {}};
}

rendered bad_body(std::string detail) {
  return refused({"kv_bad_body", std::move(detail)});
}

domain::transaction empty_call(const http_call& call, id_source& ids) {
  domain::transaction out;
  out.request_id = ids.next();
  out.tenant = call.tenant;
  out.kind = domain::call_kind::kv;
  return out;
}

/// The operation that the path names, with its kind.
std::optional<op_refusal>
read_path(const http_call& call, domain::kv_op_kind kind, domain::kv_op& out) {
  out.kind = kind;
  if (call.path.size() > 0)
    out.ns = call.path[0];
  if (call.path.size() > 1)
    out.key = call.path[1];
  if (auto wrong = check_kv_namespace(out.ns, "ns"))
    return wrong;
  if (!is_utf8(out.key))
    return op_refusal{"kv_bad_key", "key is not UTF-8"};
  return check_kv_key(out.key, "key");
}

rendered render_lost(const domain::transaction_reply& reply) {
  json_writer out;
  out.begin_object()
    .boolean("ok", false)
    .text("reason", to_string(reply.reason))
    .number("failedIndex", reply.failed_kv)
    .text("kvReason", to_string(reply.lost.reason))
    .number("version", reply.lost.version)
    .raw("value", reply.lost.value)
    .key("results")
    .begin_array()
    .end_array()
    .end_object();
  return {200, out.take(), {}};
}

size_t expected_bytes(const domain::transaction_reply& reply) {
  size_t bytes = 64;
  for (const auto& result : reply.kv) {
    bytes += 160 + result.key.size() + result.value.size();
    for (const auto& row : result.rows)
      bytes += 160 + row.key.size() + row.value.size();
  }
  return bytes;
}

} // namespace

parsed<domain::transaction> parse_kv(const http_call& call,
                                     const limits& bounds, id_source& ids) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return bad_body(body.problem);
  auto root = body.document->root();
  auto list = read_objects(root, "operations");
  if (!list.present)
    return bad_body("operations is required");
  if (!list.problem.empty())
    return bad_body(list.problem);
  fields top{root, {}};
  kv_rules rules;
  rules.required = top.optional_boolean("required").value_or(false);
  if (top.failed())
    return bad_body(top.why().message);
  if (list.elements.empty())
    return rendered{200, R"({"results":[]})", {}};
  auto out = empty_call(call, ids);
  if (auto wrong =
        read_kv_ops(list.elements, "operations", rules, bounds, out.kv))
    return refused(*wrong);
  return out;
}

rendered render_kv(const domain::transaction&,
                   const domain::transaction_reply& reply) {
  if (reply.reason == domain::refusal::kv_precondition)
    return render_lost(reply);
  if (reply.reason != domain::refusal::none)
    return refused_call(reply);
  json_writer out{expected_bytes(reply)};
  out.begin_object().key("results").begin_array();
  for (const auto& result : reply.kv) {
    out.begin_object();
    write_kv_result(out, result);
    out.end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

parsed<domain::transaction> parse_kv_get(const http_call& call,
                                         id_source& ids) {
  domain::kv_op op;
  if (auto wrong = read_path(call, domain::kv_op_kind::get, op))
    return refused(*wrong);
  auto out = empty_call(call, ids);
  out.kv.push_back(std::move(op));
  return out;
}

parsed<domain::transaction> parse_kv_put(const http_call& call,
                                         const limits& bounds, id_source& ids) {
  domain::kv_op op;
  if (auto wrong = read_path(call, domain::kv_op_kind::put, op))
    return refused(*wrong);
  auto body = read_object(call);
  if (!body.problem.empty())
    return bad_body(body.problem);
  if (auto wrong = read_kv_put(body.document->root(), {}, bounds, op))
    return refused(*wrong);
  auto out = empty_call(call, ids);
  out.kv.push_back(std::move(op));
  return out;
}

parsed<domain::transaction> parse_kv_delete(const http_call& call,
                                            id_source& ids) {
  domain::kv_op op;
  if (auto wrong = read_path(call, domain::kv_op_kind::erase, op))
    return refused(*wrong);
  query_reader query{call.query};
  if (auto expect = query.integer("expect", 0, INT64_MAX))
    op.expect = static_cast<domain::version_t>(*expect);
  if (query.failed())
    return refused({"kv_bad_expect", query.problem()});
  auto out = empty_call(call, ids);
  out.kv.push_back(std::move(op));
  return out;
}

rendered render_kv_single(const domain::transaction&,
                          const domain::transaction_reply& reply) {
  if (reply.reason != domain::refusal::none || reply.kv.empty())
    return refused_call(reply);
  json_writer out{expected_bytes(reply)};
  out.begin_object();
  write_kv_result(out, reply.kv.front());
  out.end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
