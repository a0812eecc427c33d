#include "net/http/url.hpp"

namespace queen::net {

namespace {

int hex(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

std::string percent_decode(std::string_view raw, bool plus_is_space) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '%' && i + 2 < raw.size() && hex(raw[i + 1]) >= 0 &&
        hex(raw[i + 2]) >= 0) {
      out += static_cast<char>(hex(raw[i + 1]) * 16 + hex(raw[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && raw[i] == '+' ? ' ' : raw[i];
    }
  }
  return out;
}

std::vector<std::string_view> path_segments(std::string_view path) {
  std::vector<std::string_view> out;
  if (!path.empty() && path.front() == '/')
    path.remove_prefix(1);
  for (;;) {
    auto slash = path.find('/');
    out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos)
      return out;
    path.remove_prefix(slash + 1);
  }
}

std::optional<std::string> query_value(std::string_view query,
                                       std::string_view name) {
  std::optional<std::string> found;
  while (!query.empty()) {
    auto end = query.find('&');
    auto pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    auto equals = pair.find('=');
    if (percent_decode(pair.substr(0, equals), true) == name)
      found = equals == std::string_view::npos
                ? std::string{}
                : percent_decode(pair.substr(equals + 1), true);
  }
  return found;
}

} // namespace queen::net
