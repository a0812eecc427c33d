// POST /api/v1/ack and /api/v1/ack/batch, and the acks of a transaction.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/fields.hpp"

namespace queen::net {

parsed<domain::transaction> parse_ack(const http_call& call,
                                      const limits& bounds, id_source& ids);
/// An empty list of acknowledgments is answered at once.
parsed<domain::transaction>
parse_ack_batch(const http_call& call, const limits& bounds, id_source& ids);
/// A top-level array, for both routes.
rendered render_ack(const domain::transaction& asked,
                    const domain::transaction_reply& reply);

/// One ack; `why` is set when it breaks a rule. `group` is what an ack that
/// names none belongs to.
domain::ack_item read_ack(json_value item, std::string where,
                          const std::string& group, const limits& bounds,
                          problem& why);

} // namespace queen::net
