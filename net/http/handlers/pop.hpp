// GET /api/v1/pop, /pop/queue/:queue and
// /pop/queue/:queue/partition/:partition.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// The path has no, one (queue) or two (queue, partition) parameters.
parsed<domain::pop> parse_pop(const http_call& call, const limits& bounds,
                              id_source& ids);

/// 204 without a body when there is nothing to deliver.
rendered render_pop(const domain::pop& asked, const domain::pop_reply& reply);

} // namespace queen::net
