#include "config/error.hpp"

#include <fmt/format.h>

namespace queen {

namespace {

bool crosses_the_wire(errc code) {
  return code != errc::bad_setting && code != errc::io_failed &&
         code != errc::damaged && code != errc::format_newer;
}

} // namespace

std::string_view to_string(errc code) noexcept {
  switch (code) {
#define ERROR(name, http, retry_after, meaning)                                \
  case errc::name:                                                             \
    return #name;
#include "config/errors.def"
#undef ERROR
  }
  return "unknown";
}

std::string_view meaning(errc code) noexcept {
  switch (code) {
#define ERROR(name, http, retry_after, meaning)                                \
  case errc::name:                                                             \
    return meaning;
#include "config/errors.def"
#undef ERROR
  }
  return "unknown";
}

std::string errors_page() {
  std::string out =
    "# Errors\n\nMade by `queen_docs` from `config/errors.def`; edit that.\n\n"
    "Every error body is `{\"error\": \"<message>\", \"code\": \"<code>\"}`, "
    "unless the route has\na shape of its own (transactions, KV, timers). "
    "Clients branch on `code`.\n\n"
    "| code | HTTP | Retry-After | meaning |\n| --- | --- | --- | --- |\n";
#define ERROR(name, http, retry_after, meaning)                                \
  if (crosses_the_wire(errc::name))                                            \
    out += fmt::format("| `{}` | {} | {} | {} |\n", #name, http,               \
                       retry_after ? #retry_after " s" : "", meaning);
#include "config/errors.def"
#undef ERROR
  out += "\nThese stop a node, and no client sees them:\n\n"
         "| code | meaning |\n| --- | --- |\n";
#define ERROR(name, http, retry_after, meaning)                                \
  if (!crosses_the_wire(errc::name))                                           \
    out += fmt::format("| `{}` | {} |\n", #name, meaning);
#include "config/errors.def"
#undef ERROR
  return out;
}

} // namespace queen
