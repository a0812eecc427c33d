// The one message of time: something the receiver asked to be woken for is due.

#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

namespace queen::actors {

struct wake {};

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::wake)
