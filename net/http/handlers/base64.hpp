// Base64 (RFC 4648, standard alphabet), and zstd frames with a ceiling.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace queen::net {

std::string to_base64(std::string_view bytes);
/// Padding may be left out; anything else that is not canonical is nullopt.
std::optional<std::string> from_base64(std::string_view text);

enum class unpack_error : uint8_t { damaged, too_large };
/// One or more whole frames. Stops as soon as the ceiling is passed, so a small
/// body cannot take much memory.
std::variant<std::string, unpack_error> from_zstd(std::string_view packed,
                                                  size_t bytes_max);

} // namespace queen::net
