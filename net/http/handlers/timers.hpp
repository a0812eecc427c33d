// POST /api/v1/timers, and the routes below /api/v1/timers/:queue.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

parsed<domain::transaction> parse_timers(const http_call& call,
                                         const limits& bounds, id_source& ids);
rendered render_timers(const domain::transaction& asked,
                       const domain::transaction_reply& reply);

// The path has two parameters: the queue and the timer's key (which may hold
// `/`).
parsed<domain::transaction>
parse_timer_cancel(const http_call& call, const limits& bounds, id_source& ids);
/// The one result, flat.
rendered render_timer_cancel(const domain::transaction& asked,
                             const domain::transaction_reply& reply);

parsed<domain::peek_timer> parse_timer_peek(const http_call& call,
                                            const limits& bounds);
rendered render_timer_peek(const domain::peek_timer_reply& reply);

/// The path has the queue.
parsed<domain::list_timers> parse_timer_list(const http_call& call,
                                             const limits& bounds);
rendered render_timer_list(const domain::list_timers& asked,
                           const domain::list_timers_reply& reply);

} // namespace queen::net
