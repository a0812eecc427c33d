#include "config/error.hpp"

namespace queen {

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

} // namespace queen
