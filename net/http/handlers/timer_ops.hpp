// The timer operations of a body and their results: shared by the timers
// routes and the transaction (spec/kv-timers-locks.md, Timers).

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/kv_ops.hpp"

namespace queen::net {

/// What a list of timer operations is refused for.
struct timer_refusal {
  enum class kind : uint8_t { malformed, name_too_long };
  kind what = kind::malformed;
  std::string reason; // the spec's code
  std::string detail;
};

/// Reads the elements (objects all) of `name`. Horizon and payload ceiling
/// only mark the operation: whether they are an error or a verdict is the
/// route's matter.
std::optional<timer_refusal>
read_timer_ops(const std::vector<json_value>& elements, std::string_view name,
               const limits& bounds, id_source& ids,
               std::vector<domain::timer_op>& out);

/// The members of one result, from `ok` on, into an open object.
void write_timer_result(json_writer& out, const domain::timer_op& asked,
                        const domain::timer_result& result);

} // namespace queen::net
