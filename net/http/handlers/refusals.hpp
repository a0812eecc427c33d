// The refusals of a call that wrote nothing, as every route but the
// transaction's says them.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

/// The wire's word: `rejected_ack`, `payload_too_large`, ...
std::string_view to_string(domain::refusal reason);
std::string_view to_string(domain::kv_reason reason);

/// What the reply says, or the reason's word when it says nothing.
std::string_view refusal_text(const domain::transaction_reply& reply);

/// `{"error","code"}` with the status of the reason.
rendered refused_call(const domain::transaction_reply& reply);
unsigned status_of(domain::refusal reason);

} // namespace queen::net
