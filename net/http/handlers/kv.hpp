// POST /api/v1/kv, and GET, PUT, DELETE /api/v1/kv/:ns/*key. All become one
// call of KV operations.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// A call without operations is answered at once.
parsed<domain::transaction> parse_kv(const http_call& call,
                                     const limits& bounds, id_source& ids);
rendered render_kv(const domain::transaction& asked,
                   const domain::transaction_reply& reply);

// The path has two parameters: the namespace and the key (which may hold `/`).
parsed<domain::transaction> parse_kv_get(const http_call& call, id_source& ids);
parsed<domain::transaction> parse_kv_put(const http_call& call,
                                         const limits& bounds, id_source& ids);
/// `?expect=` makes it conditional.
parsed<domain::transaction> parse_kv_delete(const http_call& call,
                                            id_source& ids);
/// The one result, flat.
rendered render_kv_single(const domain::transaction& asked,
                          const domain::transaction_reply& reply);

} // namespace queen::net
