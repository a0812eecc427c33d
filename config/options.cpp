#include "config/options.hpp"

#include <charconv>

namespace queen::config {

namespace {

struct number_setting {
  const char* name;
  uint64_t options::*at;
  uint64_t min, max;
  const char* meaning;
};

const number_setting numbers[] = {
  {"PORT", &options::port, 1, 65535, "TCP port of the HTTP API"},
  {"QUEEN_RAFT_GROUPS", &options::raft_groups, 1, 64,
   "raft groups of the node; fixed when the directory is made"},
  {"QUEEN_MAX_BODY_BYTES", &options::max_body_bytes, 1024, 1ull << 30,
   "largest request body"},
  {"QUEEN_RAFT_ENTRY_MAX_BYTES", &options::entry_max_bytes, 65536, 1ull << 30,
   "largest planned raft entry"},
  {"QUEEN_KV_MAX_VALUE_BYTES", &options::kv_max_value_bytes, 1, 16ull << 20,
   "largest value of a key"},
  {"QUEEN_TIMERS_MAX_HORIZON_S", &options::timers_max_horizon_s, 1,
   3650ull * 86400, "how far ahead a timer may be"},
  {"QUEEN_TIMERS_MAX_PAYLOAD_BYTES", &options::timers_max_payload_bytes, 1,
   64ull << 20, "largest payload of a timer"},
  {"QUEEN_CONSUME_IDLE_UNLOAD_S", &options::idle_unload_s, 1, 86400,
   "seconds after which an idle actor leaves memory"},
  {"QUEEN_RAFT_DISK_HIGH_PCT", &options::disk_high_percent, 1, 100,
   "disk use, in percent, at which writes that grow are refused"},
  {"QUEEN_MEMORY_MB", &options::memory_mb, 64, 1ull << 20,
   "memory for the stores' caches and memtables"},
};

error wrong(const std::string& name, const std::string& value,
            const std::string& may) {
  return {errc::bad_setting, name + "=" + value + ": must be " + may};
}

} // namespace

result<options> read_options(const variables& from) {
  options out;
  for (auto& s : numbers) {
    auto text = from(s.name);
    if (!text)
      continue;
    uint64_t value = 0;
    auto end = text->data() + text->size();
    auto read = std::from_chars(text->data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end || value < s.min ||
        value > s.max)
      return wrong(s.name, *text,
                   "a whole number from " + std::to_string(s.min) + " to " +
                     std::to_string(s.max));
    out.*s.at = value;
  }
  if (auto text = from("QUEEN_BIND_ADDR"))
    out.bind_address = *text;
  if (auto text = from("QUEEN_RAFT_DIR")) {
    if (text->empty())
      return wrong("QUEEN_RAFT_DIR", *text, "a path");
    out.directory = *text;
  }
  if (auto text = from("QUEEN_TENANCY_HEADER")) {
    if (*text != "true" && *text != "false" && *text != "1" && *text != "0")
      return wrong("QUEEN_TENANCY_HEADER", *text, "true or false");
    out.tenancy_header = *text == "true" || *text == "1";
  }
  return out;
}

std::string options_help() {
  options usual;
  std::string out = "queend: the Queen message broker. Settings are read from "
                    "the environment:\n\n";
  auto line = [&out](const std::string& name, const std::string& value,
                     const std::string& meaning) {
    out += "  " + name + " (" + value + "): " + meaning + "\n";
  };
  line("QUEEN_BIND_ADDR", usual.bind_address, "address to listen on");
  line("QUEEN_RAFT_DIR", usual.directory, "data directory");
  line("QUEEN_TENANCY_HEADER", "false", "take the tenant of a call from "
                                        "x-queen-tenant");
  for (auto& s : numbers)
    line(s.name, std::to_string(usual.*s.at), s.meaning);
  return out;
}

} // namespace queen::config
