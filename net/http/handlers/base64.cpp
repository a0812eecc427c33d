#include "net/http/handlers/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <zstd.h>

namespace queen::net {

namespace {

constexpr std::string_view alphabet =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values{};
  for (auto& value : values)
    value = -1;
  for (size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr auto values = make_values();

} // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  auto byte = [&](size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = (byte(i) << 16) | (byte(i + 1) << 8) | byte(i + 2);
    out += alphabet[word >> 18];
    out += alphabet[(word >> 12) & 63];
    out += i + 1 < bytes.size() ? alphabet[(word >> 6) & 63] : '=';
    out += i + 2 < bytes.size() ? alphabet[word & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  if (text.size() % 4 == 1 || (padding > 0 && (text.size() + padding) % 4 != 0))
    return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  uint32_t word = 0;
  int bits = 0;
  for (char c : text) {
    int value = values[static_cast<unsigned char>(c)];
    if (value < 0)
      return std::nullopt;
    word = (word << 6) | static_cast<uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>((word >> bits) & 0xFF);
    }
  }
  // Bits that belong to no byte must be zero, or two texts mean one value.
  if ((word & ((1u << bits) - 1)) != 0)
    return std::nullopt;
  return out;
}

std::variant<std::string, unpack_error> from_zstd(std::string_view packed,
                                                  size_t bytes_max) {
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{
    ZSTD_createDCtx(), ZSTD_freeDCtx};
  // The window is memory as well: no frame within the ceiling needs more.
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 24);
  std::string out;
  std::array<char, 16384> chunk;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1; // 0: at the end of a frame
  for (;;) {
    ZSTD_outBuffer piece{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(left))
      return unpack_error::damaged;
    if (out.size() + piece.pos > bytes_max)
      return unpack_error::too_large;
    out.append(chunk.data(), piece.pos);
    bool drained = piece.pos < piece.size;
    if (in.pos == in.size && (left == 0 || drained))
      break;
  }
  if (left != 0)
    return unpack_error::damaged;
  return out;
}

} // namespace queen::net
