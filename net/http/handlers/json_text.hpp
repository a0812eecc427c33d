// The characters of JSON strings: UTF-8, escapes, and the fast skip over what
// needs no look.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace queen::net {

/// How many bytes from `at` are plain: printable ASCII, no quote, no backslash.
size_t plain_prefix(const char* at, const char* end);

/// The length of the UTF-8 sequence at `at`, 0 when it is none.
size_t utf8_length(const char* at, const char* end);

/// 0 to 15, or -1.
int hex_digit(char c);

/// The inside of a checked JSON string, decoded; nullopt for a surrogate
/// without its pair, which no UTF-8 text can hold.
std::optional<std::string> unescape(std::string_view raw);
std::string unescape_lenient(std::string_view raw);

bool is_utf8(std::string_view text);

/// Appends the text as a JSON string with its quotes.
void append_quoted(std::string& out, std::string_view text);

} // namespace queen::net
