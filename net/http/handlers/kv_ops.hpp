// The KV operations of a body and of their results: shared by the KV routes and
// the transaction (spec/kv-timers-locks.md).

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/fields.hpp"
#include "net/http/handlers/json_writer.hpp"

namespace queen::net {

/// Why an operation is malformed: the code of the spec, and the sentence.
struct op_refusal {
  std::string reason;
  std::string detail;
  bool too_large = false; // 413 instead of 400
};

struct kv_rules {
  size_t ops_max = 256;
  size_t keys_max = 1024;
  // getPrefix is refused, and a value over its ceiling is a verdict.
  bool in_transaction = false;
  bool required = false; // what an operation that does not say is
};

/// Reads the elements (objects all) of `name`.
std::optional<op_refusal> read_kv_ops(const std::vector<json_value>& elements,
                                      std::string_view name,
                                      const kv_rules& rules,
                                      const limits& bounds,
                                      std::vector<domain::kv_op>& out);

// The single-key routes check their path's parts by the same rules.
std::optional<op_refusal> check_kv_namespace(std::string_view ns,
                                             std::string_view where);
std::optional<op_refusal> check_kv_key(std::string_view key,
                                       std::string_view where);
/// value, expiry and `expect` of a put, into `out`.
std::optional<op_refusal> read_kv_put(json_value object, std::string where,
                                      const limits& bounds, domain::kv_op& out);

/// The members of one result, from `op` on, into an open object.
void write_kv_result(json_writer& out, const domain::kv_result& result);

} // namespace queen::net
