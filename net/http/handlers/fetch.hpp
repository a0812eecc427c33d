// POST /api/v1/fetch and /api/v1/fetch/offsets: reads by offset.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// A fetch without entries is answered at once.
parsed<domain::fetch> parse_fetch(const http_call& call, const limits& bounds);
rendered render_fetch(const domain::fetch_reply& reply);

/// `{entries:[{queue, partition, timestamp}]}`: ISO text, or milliseconds since
/// the Unix epoch. The answer has the offset of the first message at or after.
parsed<domain::fetch_offsets> parse_fetch_offsets(const http_call& call,
                                                  const limits& bounds);
rendered render_fetch_offsets(const domain::fetch_offsets_reply& reply);

} // namespace queen::net
