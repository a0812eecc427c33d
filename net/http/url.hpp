// Percent-encoding of paths and query strings. Tolerant: clients put names raw,
// so an escape that is none stays as it is.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace queen::net {

/// `%41` becomes `A`; `%zz` and a trailing `%` stay. With `plus_is_space`, as
/// in query strings, `+` becomes a space.
std::string percent_decode(std::string_view raw, bool plus_is_space = false);

/// The raw segments of a path: "/a//b" is {"a", "", "b"}. `%2F` stays inside
/// its segment because decoding comes after.
std::vector<std::string_view> path_segments(std::string_view path);

/// The decoded value of the last parameter called `name`.
std::optional<std::string> query_value(std::string_view query,
                                       std::string_view name);

} // namespace queen::net
