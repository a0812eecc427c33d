// POST /api/v1/transaction (spec/transaction.md).

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// A body of the wrong shape is 400 here; what only a look at the state can
/// refuse (and a value or a delay over its ceiling) travels in the command.
parsed<domain::transaction>
parse_transaction(const http_call& call, const limits& bounds, id_source& ids);

rendered render_transaction(const domain::transaction& asked,
                            const domain::transaction_reply& reply);

/// What prevented a verdict, in this route's shape: `code` equals `reason`.
rendered render_transaction_error(const domain::uuid& transaction_id,
                                  const error& reason);

} // namespace queen::net
