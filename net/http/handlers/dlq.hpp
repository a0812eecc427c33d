// GET /api/v1/dlq.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

parsed<domain::list_dead_letters> parse_dlq(const http_call& call);
rendered render_dlq(const domain::dead_letters_reply& reply);

} // namespace queen::net
