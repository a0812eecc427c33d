#include "config/settings.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

using namespace queen;
using config::read_settings;

namespace {

std::string refusal(const config::environment& given) {
  auto got = read_settings(given);
  if (got)
    return "taken";
  CHECK(got.reason().code == errc::bad_setting);
  return got.reason().detail;
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string file(const char* name) {
  std::ifstream in{std::string{QUEEN_SOURCE_DIR} + "/docs/" + name};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("without variables a node has the documented defaults") {
  auto got = read_settings({});
  REQUIRE(got);
  CHECK(got->port == 6632);
  CHECK(got->bind_address == "0.0.0.0");
  CHECK(got->directory == "./data");
  CHECK(got->raft_groups == 1);
  CHECK(got->max_body_bytes == 67108864);
  CHECK(got->entry_max_bytes == 100663296);
  CHECK(got->stmt_timeout_ms == 30000);
  CHECK(got->disk_high_percent == 85);
  CHECK(got->admit_max_mb == 128);
  CHECK(got->subscription_mode == "new");
  CHECK(got->kv_max_value_bytes == 65536);
  CHECK(got->timers_max_horizon_s == 90 * 86400);
  CHECK(got->timers_max_payload_bytes == 1 << 20);
  CHECK(got->idle_unload_s == 600);
  CHECK_FALSE(got->tenancy_header);
  CHECK(got->store_verify);
}

TEST_CASE("a value that does not parse or is out of range names its variable") {
  for (auto value : {"", "x", "0", "-1", "65536", "1.5", "6632 ", "0x10",
                     "99999999999999999999"}) {
    auto why = refusal({{"PORT", value}});
    INFO(value << ": " << why);
    CHECK(says(why, "PORT="));
    CHECK(says(why, "a whole number from 1 to 65535"));
  }
  CHECK(says(refusal({{"QUEEN_RAFT_GROUPS", "65"}}), "from 1 to 64"));
  CHECK(says(refusal({{"QUEEN_TENANCY_HEADER", "yes"}}), "true or false"));
  CHECK(says(refusal({{"LOG_LEVEL", "loud"}}),
             "LOG_LEVEL=loud: must be one of trace, debug, info"));
  CHECK(says(refusal({{"DEFAULT_SUBSCRIPTION_MODE", "old"}}), "new, all"));
  CHECK(says(refusal({{"QUEEN_RAFT_DIR", ""}}), "a path"));
  CHECK(refusal({{"PORT", "1"}, {"QUEEN_RAFT_GROUPS", "64"}}) == "taken");
}

TEST_CASE("the tenancy header needs the assertion that a proxy sets it") {
  CHECK(says(refusal({{"QUEEN_TENANCY_HEADER", "true"}}),
             "QUEEN_KV_TRUSTED_PROXY"));
  CHECK(refusal({{"QUEEN_TENANCY_HEADER", "true"},
                 {"QUEEN_KV_TRUSTED_PROXY", "true"}}) == "taken");
}

TEST_CASE("what would be less safe than asked for stops the boot") {
  for (auto name : {"JWT_ENABLED", "QUEEN_TLS_CERT", "QUEEN_TLS_KEY",
                    "QUEEN_ENCRYPTION_KEY", "QUEEN_RAFT_PEERS"}) {
    CHECK(says(refusal({{name, "something"}}), name));
    CHECK(refusal({{name, ""}}) == "taken");
  }
  CHECK(refusal({{"JWT_ENABLED", "false"}}) == "taken");
}

TEST_CASE("a name that nothing knows is a warning with the nearest one") {
  auto got = read_settings({{"QUEEN_MAX_BODY_BYTE", "1"},
                            {"QUEEN_BIND_ADDR", "127.0.0.1"},
                            {"HOME", "/root"}});
  REQUIRE(got);
  REQUIRE(got->warnings.size() == 1);
  CHECK(says(got->warnings[0], "QUEEN_MAX_BODY_BYTE "));
  CHECK(says(got->warnings[0], "QUEEN_MAX_BODY_BYTES"));
}

TEST_CASE("an address that others reach is a warning") {
  CHECK(read_settings({{"QUEEN_BIND_ADDR", "127.0.0.1"}})->warnings.empty());
  CHECK(read_settings({{"QUEEN_BIND_ADDR", "::1"}})->warnings.empty());
  CHECK(read_settings({})->warnings.size() == 1);
}

TEST_CASE("the effective settings are what was read") {
  auto lines = config::effective(*read_settings({{"PORT", "7000"}}));
  CHECK(std::count(lines.begin(), lines.end(), "PORT=7000") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "QUEEN_RAFT_GROUPS=1") == 1);
}

TEST_CASE("docs/ has what queen_docs writes") {
  CHECK(file("configuration.md") == config::settings_page());
  CHECK(file("errors.md") == errors_page());
}
