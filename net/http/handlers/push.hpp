// POST /api/v1/push, and the pushed items of a transaction.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/fields.hpp"

namespace queen::net {

/// An empty list of items is answered at once.
parsed<domain::transaction> parse_push(const http_call& call,
                                       const limits& bounds, id_source& ids);
rendered render_push(const domain::transaction& asked,
                     const domain::transaction_reply& reply);

/// How the two routes that push differ.
enum class push_form : uint8_t {
  plain,         // payload is required
  in_transaction // `data` is an alias, an absent payload is `{}`
};

/// One item; `why` is set when it breaks a rule.
domain::push_item read_push_item(json_value item, std::string where,
                                 push_form form, const http_call& call,
                                 const limits& bounds, id_source& ids,
                                 problem& why);

} // namespace queen::net
