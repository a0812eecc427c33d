// Identities and plain scalar types that every room above persistence shares.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace queen::domain {

using time_us = int64_t;   // microseconds since the Unix epoch, leader's clock
using queue_id = uint64_t; // unique in a raft group, never reused
using partition_id =
  uint64_t; // unique in a raft group, never reused; digits on the wire
using offset_t = uint64_t;  // position in a partition, from 0, no gaps
using version_t = uint64_t; // of a KV row; unique and increasing per tenant

/// 16 bytes, ordered as bytes. Version 7 ids sort by the time of minting.
struct uuid {
  std::array<uint8_t, 16> bytes{};

  auto operator<=>(const uuid&) const = default;
  bool nil() const { return *this == uuid{}; }
};

/// 36 characters, lower case.
std::string to_string(const uuid& id);

/// The same text without a string of its own.
using uuid_text = std::array<char, 36>;
uuid_text text_of(const uuid& id);
inline std::string_view view_of(const uuid_text& text) {
  return {text.data(), text.size()};
}

/// Accepts the 36-character form in any case; anything else is nullopt.
std::optional<uuid> parse_uuid(std::string_view text);

/// A version 7 UUID of this millisecond and these 74 random bits.
uuid make_uuid_v7(int64_t unix_ms, uint64_t random_high, uint64_t random_low);

/// The tenant of a request that names none (spec/cluster.md, Placement).
uuid default_tenant();

/// Microseconds to `2026-07-30T11:02:44.512873Z`, and back (fractions of 0 to
/// 9 digits, `Z` or a numeric zone; nullopt for anything else).
std::string to_iso(time_us at);
std::optional<time_us> parse_iso(std::string_view text);

/// The 64-bit hash that indexes look ids up by. Stable for ever: it is stored.
uint64_t id_hash(std::string_view text);

/// A piece of a shared immutable buffer: payloads stay the bytes that the
/// request brought and are never copied on their way.
struct slice {
  std::shared_ptr<const std::string> owner;
  std::string_view view;

  static slice own(std::string text) {
    auto shared = std::make_shared<const std::string>(std::move(text));
    return {shared, std::string_view{*shared}};
  }
};

/// The group of a call that names none (spec/messages.md).
inline constexpr std::string_view queue_mode_group = "__QUEUE_MODE__";
/// The group under which timers that cannot fire are filed.
inline constexpr std::string_view timer_group = "__timer__";
inline constexpr std::string_view default_partition = "Default";

/// Names are parts of keys of the store: short keys keep its index small.
inline constexpr size_t name_bytes_max = 1024;

} // namespace queen::domain
