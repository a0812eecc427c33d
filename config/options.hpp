// The node's settings: read once at boot from the variables that the main
// function passes in, never from the process's environment directly
// (spec/operate.md, Configuration).

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace queen::config {

using variables =
  std::function<std::optional<std::string>(const std::string& name)>;

struct options {
  uint64_t port = 6632;
  std::string bind_address = "0.0.0.0";
  std::string directory = "./data";
  uint64_t raft_groups = 1;
  uint64_t max_body_bytes = 64ull << 20;
  uint64_t entry_max_bytes = 100663296;
  uint64_t kv_max_value_bytes = 65536;
  uint64_t timers_max_horizon_s = 90 * 86400;
  uint64_t timers_max_payload_bytes = 1 << 20;
  uint64_t idle_unload_s = 600;
  uint64_t disk_high_percent = 85;
  uint64_t memory_mb = 256;
  bool tenancy_header = false;
};

/// Errors: bad_setting, naming the variable and what it may be.
result<options> read_options(const variables& from);

/// What `--help` prints: each variable, its default and its meaning.
std::string options_help();

} // namespace queen::config
