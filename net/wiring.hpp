// What the settings mean to the node and to the edge.

#pragma once

#include "config/settings.hpp"
#include "net/http/gateway.hpp"

namespace queen::net {

actors::node_settings node_settings_of(const config::settings& from,
                                       actors::environment& env);

/// Errors: bad_setting, of QUEEN_TENANT_GROUPS.
result<gateway_settings> gateway_settings_of(const config::settings& from);

server_options server_options_of(const config::settings& from);

} // namespace queen::net
