#include "net/wiring.hpp"

#include <charconv>

#include <fmt/format.h>

namespace queen::net {

namespace {

// `<uuid>=<group>,...`
result<std::map<domain::uuid, uint32_t>> pinned_tenants(std::string_view text,
                                                        uint64_t groups) {
  std::map<domain::uuid, uint32_t> out;
  while (!text.empty()) {
    auto one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    auto equals = one.find('=');
    auto tenant = domain::parse_uuid(one.substr(0, equals));
    uint32_t group = 0;
    bool good = tenant && equals != std::string_view::npos;
    if (good) {
      auto end = one.data() + one.size();
      auto read = std::from_chars(one.data() + equals + 1, end, group);
      good = read.ec == std::errc{} && read.ptr == end && group < groups;
    }
    if (!good || !out.emplace(*tenant, group).second)
      return error{
        errc::bad_setting,
        fmt::format("QUEEN_TENANT_GROUPS: '{}' must be <uuid>=<group> "
                    "with a group from 0 to {}, once a tenant",
                    one, groups - 1)};
  }
  return out;
}

} // namespace

actors::node_settings node_settings_of(const config::settings& from,
                                       actors::environment& env) {
  actors::node_settings out;
  out.directory = from.directory;
  out.groups = static_cast<uint32_t>(from.raft_groups);
  out.verify_stores = from.store_verify;
  out.log.incarnation_seed = env.random() | 1;
  out.limits.max_entry_bytes = from.entry_max_bytes;
  out.limits.kv_max_value_bytes =
    static_cast<uint32_t>(from.kv_max_value_bytes);
  out.limits.timers_max_horizon_us =
    static_cast<int64_t>(from.timers_max_horizon_s) * 1000000;
  out.limits.timers_max_payload_bytes =
    static_cast<uint32_t>(from.timers_max_payload_bytes);
  out.limits.idle_unload_us =
    static_cast<int64_t>(from.idle_unload_s) * 1000000;
  return out;
}

result<gateway_settings> gateway_settings_of(const config::settings& from) {
  gateway_settings out;
  out.bounds.kv_value_bytes_max = from.kv_max_value_bytes;
  out.bounds.timer_horizon_s = static_cast<uint32_t>(from.timers_max_horizon_s);
  out.bounds.timer_payload_bytes_max = from.timers_max_payload_bytes;
  out.bounds.tenancy_header = from.tenancy_header;
  out.bounds.default_mode = from.subscription_mode == "all"
                              ? domain::subscription_mode::all
                              : domain::subscription_mode::from_new;
  out.disk_high_percent = static_cast<uint32_t>(from.disk_high_percent);
  out.request_timeout = std::chrono::milliseconds{from.stmt_timeout_ms};
  out.admitted_bytes_max = from.admit_max_mb << 20;
  out.ready_lag = std::chrono::milliseconds{from.ready_lag_ms};
  auto pinned = pinned_tenants(from.tenant_groups, from.raft_groups);
  if (!pinned)
    return pinned.reason();
  out.pinned_tenants = std::move(*pinned);
  return out;
}

server_options server_options_of(const config::settings& from) {
  server_options out;
  out.address = from.bind_address;
  out.port = static_cast<uint16_t>(from.port);
  out.body_bytes_max = from.max_body_bytes;
  return out;
}

} // namespace queen::net
