#include "net/http/handlers/refusals.hpp"

#include "net/http/handlers/json_writer.hpp"

namespace queen::net {

std::string_view to_string(domain::refusal reason) {
  using domain::refusal;
  switch (reason) {
  case refusal::none:
    return "";
  case refusal::rejected_ack:
    return "rejected_ack";
  case refusal::duplicate:
    return "duplicate";
  case refusal::kv_precondition:
    return "kv_precondition";
  case refusal::timer_horizon_exceeded:
    return "timer_horizon_exceeded";
  case refusal::payload_too_large:
    return "payload_too_large";
  case refusal::too_large:
    return "too_large";
  case refusal::name_too_long:
    return "name_too_long";
  case refusal::internal:
    return "internal";
  }
  return "internal";
}

std::string_view to_string(domain::kv_reason reason) {
  using domain::kv_reason;
  switch (reason) {
  case kv_reason::none:
    return "";
  case kv_reason::exists:
    return "exists";
  case kv_reason::absent:
    return "absent";
  case kv_reason::version:
    return "version";
  case kv_reason::limit:
    return "limit";
  case kv_reason::type:
    return "type";
  }
  return "";
}

unsigned status_of(domain::refusal reason) {
  using domain::refusal;
  switch (reason) {
  case refusal::none:
    return 200;
  case refusal::rejected_ack:
  case refusal::duplicate:
  case refusal::kv_precondition:
    return 200;
  case refusal::timer_horizon_exceeded:
    return 403;
  case refusal::payload_too_large:
  case refusal::too_large:
    return 413;
  case refusal::name_too_long:
    return 400;
  case refusal::internal:
    return 500;
  }
  return 500;
}

std::string_view refusal_text(const domain::transaction_reply& reply) {
  return reply.error.empty() ? to_string(reply.reason)
                             : std::string_view{reply.error};
}

rendered refused_call(const domain::transaction_reply& reply) {
  json_writer out;
  out.begin_object()
    .text("error", refusal_text(reply))
    .text("code", to_string(reply.reason))
    .end_object();
  return {status_of(reply.reason), out.take(), {}};
}

} // namespace queen::net
