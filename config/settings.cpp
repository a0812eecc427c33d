#include "config/settings.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <variant>

#include <fmt/format.h>

namespace queen::config {

namespace {

struct number {
  uint64_t settings::*at;
  uint64_t least, most;
};
struct text {
  std::string settings::*at;
};
struct flag {
  bool settings::*at;
};
struct choice {
  std::string settings::*at;
  const char* choices; // separated by spaces
};
struct absent { // not in this version
  bool stops;
};

struct setting {
  const char* name;
  std::variant<number, text, flag, choice, absent> kind;
  const char* meaning;
};

const std::vector<setting>& table() {
  static const std::vector<setting> all{
#define NUMBER(member, name, usual, least, most, meaning)                      \
  {name, number{&settings::member, least, most}, meaning},
#define TEXT(member, name, usual, meaning)                                     \
  {name, text{&settings::member}, meaning},
#define FLAG(member, name, usual, meaning)                                     \
  {name, flag{&settings::member}, meaning},
#define CHOICE(member, name, usual, choices, meaning)                          \
  {name, choice{&settings::member, choices}, meaning},
#define REFUSED(name, meaning) {name, absent{true}, meaning},
#define IGNORED(name, meaning) {name, absent{false}, meaning},
#include "config/settings.def"
#undef NUMBER
#undef TEXT
#undef FLAG
#undef CHOICE
#undef REFUSED
#undef IGNORED
  };
  return all;
}

std::vector<std::string> words(const char* spaced) {
  std::istringstream in{spaced};
  return {std::istream_iterator<std::string>{in}, {}};
}

// -- what a value may be, and whether it is -----------------------------------

struct accepted {
  std::string operator()(const number& n) const {
    return fmt::format("a whole number from {} to {}", n.least, n.most);
  }
  std::string operator()(const text&) const { return "any text"; }
  std::string operator()(const flag&) const { return "true or false"; }
  std::string operator()(const choice& c) const {
    return fmt::format("one of {}", fmt::join(words(c.choices), ", "));
  }
  std::string operator()(const absent&) const { return "unset"; }
};

struct reading {
  const std::string& value;
  settings& into;

  bool operator()(const number& n) const {
    uint64_t got = 0;
    auto end = value.data() + value.size();
    auto read = std::from_chars(value.data(), end, got);
    if (read.ec != std::errc{} || read.ptr != end || got < n.least ||
        got > n.most)
      return false;
    into.*n.at = got;
    return true;
  }
  bool operator()(const text& t) const {
    into.*t.at = value;
    return true;
  }
  bool operator()(const flag& f) const {
    bool yes = value == "true" || value == "1";
    into.*f.at = yes;
    return yes || value == "false" || value == "0";
  }
  bool operator()(const choice& c) const {
    auto may = words(c.choices);
    into.*c.at = value;
    return std::find(may.begin(), may.end(), value) != may.end();
  }
  // Nothing asked for is nothing refused.
  bool operator()(const absent& a) const {
    return !a.stops || value.empty() || value == "false" || value == "0";
  }
};

struct printing {
  const settings& from;

  std::string operator()(const number& n) const {
    return std::to_string(from.*n.at);
  }
  std::string operator()(const text& t) const { return from.*t.at; }
  std::string operator()(const flag& f) const {
    return from.*f.at ? "true" : "false";
  }
  std::string operator()(const choice& c) const { return from.*c.at; }
  std::string operator()(const absent&) const { return {}; }
};

bool is_absent(const setting& s) {
  return std::holds_alternative<absent>(s.kind);
}

// -- names that nothing knows -------------------------------------------------

// How many letters must change to make one of the other (Levenshtein).
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      auto replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::string& name) {
  auto& all = table();
  return std::min_element(all.begin(), all.end(),
                          [&](auto& a, auto& b) {
                            return distance(name, a.name) <
                                   distance(name, b.name);
                          })
    ->name;
}

bool known(const std::string& name) {
  return std::any_of(table().begin(), table().end(),
                     [&](auto& s) { return name == s.name; });
}

// -- rules between settings ---------------------------------------------------

std::string conflict(const settings& s) {
  if (s.directory.empty())
    return "QUEEN_RAFT_DIR=: must be a path";
  if (s.tenancy_header && !s.trusted_proxy)
    return "QUEEN_TENANCY_HEADER=true: any client could name any tenant; set "
           "QUEEN_KV_TRUSTED_PROXY=true where a proxy sets x-queen-tenant "
           "itself";
  return {};
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

} // namespace

result<settings> read_settings(const environment& from) {
  settings out;
  for (auto& s : table()) {
    auto given = from.find(s.name);
    if (given == from.end() || std::visit(reading{given->second, out}, s.kind))
      continue;
    if (is_absent(s))
      return error{errc::bad_setting,
                   fmt::format("{} is set, but this version has no {}; unset "
                               "it to boot without",
                               s.name, s.meaning)};
    return error{errc::bad_setting,
                 fmt::format("{}={}: must be {}", s.name, given->second,
                             std::visit(accepted{}, s.kind))};
  }
  if (auto why = conflict(out); !why.empty())
    return error{errc::bad_setting, why};
  for (auto& s : table())
    if (is_absent(s) && from.count(s.name) != 0)
      out.warnings.push_back(fmt::format(
        "{} is ignored: this version has no {}", s.name, s.meaning));
  for (auto& [name, value] : from)
    if (name.rfind("QUEEN_", 0) == 0 && !known(name))
      out.warnings.push_back(
        fmt::format("{} is no setting and is ignored; the nearest is {}", name,
                    nearest(name)));
  if (!is_loopback(out.bind_address))
    out.warnings.push_back(
      fmt::format("listening on {} without authentication: whoever reaches "
                  "this port may read and write everything",
                  out.bind_address));
  return out;
}

std::vector<std::string> effective(const settings& what) {
  std::vector<std::string> out;
  for (auto& s : table())
    if (!is_absent(s))
      out.push_back(
        fmt::format("{}={}", s.name, std::visit(printing{what}, s.kind)));
  return out;
}

std::string settings_help() {
  settings usual;
  std::string out = "queend: a node of the Queen message broker. It takes no "
                    "arguments; settings are\nenvironment variables:\n\n";
  for (auto& s : table())
    if (!is_absent(s))
      out += fmt::format("  {}={}\n      {}\n      {}\n", s.name,
                         std::visit(printing{usual}, s.kind), s.meaning,
                         std::visit(accepted{}, s.kind));
  return out;
}

std::string settings_page() {
  settings usual;
  std::string out =
    "# Configuration\n\n"
    "Made by `queen_docs` from `config/settings.def`; edit that.\n\n"
    "Environment variables only, read once when the node starts. A value that "
    "does not\nparse or is out of range stops the boot with the variable's "
    "name and what it\naccepts. A `QUEEN_*` name that is not listed here is "
    "logged as a warning with the\nnearest name that is.\n\n"
    "| variable | default | accepts | meaning |\n| --- | --- | --- | --- |\n";
  for (auto& s : table())
    if (!is_absent(s))
      out += fmt::format("| `{}` | `{}` | {} | {} |\n", s.name,
                         std::visit(printing{usual}, s.kind),
                         std::visit(accepted{}, s.kind), s.meaning);
  out += "\n## Known, and not in this version\n\nWhere going on without it "
         "would be less safe than was asked for, the boot stops.\n\n"
         "| variable | belongs to | when it is set |\n| --- | --- | --- |\n";
  for (auto& s : table())
    if (auto a = std::get_if<absent>(&s.kind))
      out += fmt::format("| `{}` | {} | {} |\n", s.name, s.meaning,
                         a->stops ? "the boot stops" : "a warning");
  return out;
}

} // namespace queen::config
