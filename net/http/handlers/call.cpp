#include "net/http/handlers/call.hpp"

#include "net/http/handlers/json_text.hpp"
#include "net/http/handlers/json_writer.hpp"

#include <charconv>

namespace queen::net {

unsigned status_of(errc code) noexcept {
  switch (code) {
#define ERROR(name, http, retry_after, meaning)                                \
  case errc::name:                                                             \
    return http;
#include "config/errors.def"
#undef ERROR
  }
  return 500;
}

void add_retry_after(rendered& answer, errc code) {
  unsigned seconds = 0;
  switch (code) {
#define ERROR(name, http, retry_after, meaning)                                \
  case errc::name:                                                             \
    seconds = retry_after;                                                     \
    break;
#include "config/errors.def"
#undef ERROR
  }
  if (seconds > 0)
    answer.headers.emplace_back("Retry-After", std::to_string(seconds));
}

rendered plain_error(errc code, std::string_view message) {
  json_writer out;
  out.begin_object()
    .text("error", message)
    .text("code", to_string(code))
    .end_object();
  rendered answer{status_of(code), out.take(), {}};
  add_retry_after(answer, code);
  return answer;
}

rendered render_error(const error& reason) {
  return plain_error(reason.code, reason.detail.empty()
                                    ? meaning(reason.code)
                                    : std::string_view{reason.detail});
}

std::variant<domain::uuid, rendered> resolve_tenant(const lookup& header,
                                                    const limits& bounds) {
  if (!bounds.tenancy_header)
    return domain::default_tenant();
  auto text = header("x-queen-tenant");
  if (!text)
    return domain::default_tenant();
  if (auto tenant = domain::parse_uuid(*text))
    return *tenant;
  return plain_error(errc::bad_tenant, meaning(errc::bad_tenant));
}

// -- query strings ------------------------------------------------------------

void query_reader::fail(std::string message) {
  if (problem_.empty())
    problem_ = std::move(message);
}

std::optional<std::string> query_reader::text(std::string_view name) {
  auto value = query_(name);
  if (!value || value->empty())
    return std::nullopt;
  if (!is_utf8(*value)) {
    fail(std::string{name} + " is not UTF-8");
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> query_reader::integer(std::string_view name, int64_t min,
                                             int64_t max) {
  auto value = text(name);
  if (!value)
    return std::nullopt;
  int64_t number = 0;
  const char* end = value->data() + value->size();
  auto [stop, code] = std::from_chars(value->data(), end, number);
  if (code == std::errc{} && stop == end && number >= min && number <= max)
    return number;
  fail(std::string{name} + " must be a whole number from " +
       std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

std::optional<bool> query_reader::boolean(std::string_view name) {
  auto value = text(name);
  if (!value)
    return std::nullopt;
  if (*value == "true" || *value == "1")
    return true;
  if (*value == "false" || *value == "0")
    return false;
  fail(std::string{name} + " must be true or false");
  return std::nullopt;
}

std::string path_problem(std::string_view what, std::string_view name,
                         const limits& bounds) {
  if (!is_utf8(name))
    return std::string{what} + " is not UTF-8";
  if (name.size() > bounds.name_bytes_max)
    return std::string{what} + " is longer than " +
           std::to_string(bounds.name_bytes_max) + " bytes";
  return {};
}

} // namespace queen::net
