// The node's settings: read once at boot from the variables that the main
// function passes in, never from the process's environment directly
// (spec/operate.md, Configuration). settings.def declares them.

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace queen::config {

using environment = std::map<std::string, std::string>;

struct settings {
#define NUMBER(member, name, usual, least, most, meaning)                      \
  uint64_t member = usual;
#define TEXT(member, name, usual, meaning) std::string member = usual;
#define FLAG(member, name, usual, meaning) bool member = usual;
#define CHOICE(member, name, usual, choices, meaning)                          \
  std::string member = usual;
#define REFUSED(name, meaning)
#define IGNORED(name, meaning)
#include "config/settings.def"
#undef NUMBER
#undef TEXT
#undef FLAG
#undef CHOICE
#undef REFUSED
#undef IGNORED

  /// What a boot should tell its operator: a QUEEN_* name that nothing knows,
  /// an address that the whole network reaches.
  std::vector<std::string> warnings;
};

/// Errors: bad_setting, naming the variable and what it may be.
result<settings> read_settings(const environment& from);

/// One line a setting, `NAME=value`.
std::vector<std::string> effective(const settings& what);

/// What `--help` prints.
std::string settings_help();
/// docs/configuration.md.
std::string settings_page();

} // namespace queen::config
