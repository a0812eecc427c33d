#include "net/http/handlers/json_text.hpp"

#include <cstdint>
#include <cstring>

namespace queen::net {

namespace {

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/// Not zero when one of the eight bytes is not plain (a false alarm above a
/// true one is possible and harmless: the caller looks byte by byte).
uint64_t odd_bytes(uint64_t word) {
  constexpr uint64_t ones = 0x0101010101010101u;
  constexpr uint64_t tops = 0x8080808080808080u;
  auto zero_byte = [](uint64_t w) { return (w - ones) & ~w & tops; };
  return (word & tops) | ((word - ones * 0x20) & ~word & tops) |
         zero_byte(word ^ (ones * '"')) | zero_byte(word ^ (ones * '\\'));
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

uint32_t hex4(std::string_view raw, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i)
    value = value * 16 + static_cast<uint32_t>(hex_digit(raw[i]));
  return value;
}

char control_of(char letter) {
  switch (letter) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return letter;
  }
}

/// False when a lone surrogate was replaced.
bool decode(std::string_view raw, std::string& out) {
  bool whole = true;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size();) {
    size_t slash = raw.find('\\', i);
    if (slash == std::string_view::npos) {
      out.append(raw.substr(i));
      break;
    }
    out.append(raw.substr(i, slash - i));
    char letter = raw[slash + 1];
    i = slash + 2;
    if (letter != 'u') {
      out += control_of(letter);
      continue;
    }
    uint32_t c = hex4(raw, i);
    i += 4;
    bool high = c >= 0xD800 && c < 0xDC00;
    if (high && raw.substr(i, 2) == "\\u") {
      uint32_t low = hex4(raw, i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        i += 6;
      }
    }
    if (c >= 0xD800 && c < 0xE000) {
      whole = false;
      c = 0xFFFD;
    }
    append_utf8(out, c);
  }
  return whole;
}

} // namespace

size_t plain_prefix(const char* at, const char* end) {
  const char* start = at;
  while (end - at >= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    if (odd_bytes(word) != 0)
      break;
    at += 8;
  }
  while (at < end && is_plain(static_cast<unsigned char>(*at)))
    ++at;
  return static_cast<size_t>(at - start);
}

size_t utf8_length(const char* at, const char* end) {
  auto byte = [&](int i) {
    return at + i < end ? static_cast<unsigned char>(at[i]) : 0u;
  };
  auto follows = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2)
    return 0;
  if (lead < 0xE0)
    return follows(1) ? 2 : 0;
  if (lead < 0xF0) {
    bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead > 0xF4)
    return 0;
  bool overlong = lead == 0xF0 && byte(1) < 0x90;
  bool beyond = lead == 0xF4 && byte(1) >= 0x90;
  return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

std::optional<std::string> unescape(std::string_view raw) {
  std::string out;
  if (!decode(raw, out))
    return std::nullopt;
  return out;
}

std::string unescape_lenient(std::string_view raw) {
  std::string out;
  decode(raw, out);
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const char* start = at;
    at += plain_prefix(at, end);
    while (at < end && static_cast<unsigned char>(*at) >= 0x80)
      ++at;
    out.append(start, at);
    if (at == end)
      break;
    if (is_plain(static_cast<unsigned char>(*at)))
      continue;
    char c = *at++;
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default: {
      constexpr char hex[] = "0123456789abcdef";
      out += "\\u00";
      out += hex[(c >> 4) & 15];
      out += hex[c & 15];
    }
    }
  }
  out += '"';
}

bool is_utf8(std::string_view text) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    size_t length = utf8_length(at, end);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

} // namespace queen::net
