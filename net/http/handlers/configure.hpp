// POST /api/v1/configure, and a queue's options on the wire.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"
#include "net/http/handlers/json_writer.hpp"

namespace queen::net {

parsed<domain::configure_queue> parse_configure(const http_call& call,
                                                const limits& bounds);
rendered render_configure(const domain::configure_reply& reply);

/// Every option, as an object.
void write_options(json_writer& out, const domain::queue_options& options);

} // namespace queen::net
