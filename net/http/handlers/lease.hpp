// POST /api/v1/lease/:leaseId/extend.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// No body at all, `{}` and no `seconds` mean the queue's leaseTime.
parsed<domain::extend_lease> parse_extend(const http_call& call);
rendered render_extend(const domain::extend_lease& asked,
                       const domain::extend_reply& reply);

} // namespace queen::net
