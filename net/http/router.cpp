#include "net/http/router.hpp"

#include "net/http/url.hpp"

#include <algorithm>

namespace queen::net {

namespace {

using segments = std::vector<std::string>;

// Literals before `:`, and `*` last.
int rank(const std::string& segment) {
  if (segment.starts_with(':'))
    return 1;
  return segment.starts_with('*') ? 2 : 0;
}

bool more_specific(const segments& a, const segments& b) {
  return std::lexicographical_compare(
    a.begin(), a.end(), b.begin(), b.end(),
    [](auto& x, auto& y) { return rank(x) < rank(y); });
}

bool fits(const segments& pattern, const std::vector<std::string_view>& path) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (i == path.size())
      return false;
    if (rank(pattern[i]) == 2)
      return !path[i].empty();
    if (rank(pattern[i]) == 1 ? path[i].empty()
                              : pattern[i] != percent_decode(path[i]))
      return false;
  }
  return pattern.size() == path.size();
}

} // namespace

void router::add(std::string_view method, std::string_view pattern,
                 size_t index) {
  entry added{std::string{method}, {}, index};
  for (auto segment : path_segments(pattern))
    added.segments.emplace_back(segment);
  auto place = std::upper_bound(
    entries_.begin(), entries_.end(), added,
    [](auto& a, auto& b) { return more_specific(a.segments, b.segments); });
  entries_.insert(place, std::move(added));
}

route_match router::match(std::string_view method,
                          std::string_view path) const {
  route_match out;
  auto parts = path_segments(path);
  for (auto& route : entries_) {
    if (!fits(route.segments, parts))
      continue;
    if (route.method != method) {
      if (out.allow.find(route.method) == std::string::npos)
        out.allow += (out.allow.empty() ? "" : ", ") + route.method;
      continue;
    }
    out.index = route.index;
    out.allow.clear();
    for (size_t i = 0; i < route.segments.size(); ++i) {
      if (rank(route.segments[i]) == 1)
        out.parameters.push_back(percent_decode(parts[i]));
      if (rank(route.segments[i]) == 2) // to the end of the path
        out.parameters.push_back(percent_decode(
          path.substr(static_cast<size_t>(parts[i].data() - path.data()))));
    }
    return out;
  }
  return out;
}

} // namespace queen::net
