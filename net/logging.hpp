// Sets the process's log up: one line an event, on standard error.

#pragma once

#include "config/settings.hpp"

namespace queen::net {

void set_up_logging(const config::settings& from);

} // namespace queen::net
