// Which route has a method and a path. Pure.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace queen::net {

/// `index` is set when a route matched. Without it, an empty `allow` is 404
/// and a full one the Allow header of a 405.
struct route_match {
  std::optional<size_t> index;
  std::vector<std::string> parameters; // decoded, in the pattern's order
  std::string allow;
};

class router {
public:
  /// `:name` is one non-empty segment, `*name` the rest of the path. Where
  /// two patterns fit, the one with the earlier literal segment wins.
  void add(std::string_view method, std::string_view pattern, size_t index);
  route_match match(std::string_view method, std::string_view path) const;

private:
  struct entry {
    std::string method;
    std::vector<std::string> segments;
    size_t index;
  };
  std::vector<entry> entries_; // most specific first
};

} // namespace queen::net
