// How the domain's values become bytes, in rows and in raft entries alike. Each
// struct lists its fields once, in `describe`, and that list serves both the
// writer and the reader, so the two cannot disagree.
//
//   unsigned numbers  LEB128 (7 bits a byte, low first)
//   times             8 bytes, little-endian
//   texts, payloads   length, bytes
//   uuids             16 bytes
//   optional uuids    0, or 1 and 16 bytes
//   bools, enums      1 byte
//
// A list of fields is frozen with its version: a new field means a new version.

#pragma once

#include "actors/domain/effects.hpp"
#include "actors/domain/rows.hpp"

#include <type_traits>

namespace queen::domain {

class field_writer {
public:
  explicit field_writer(size_t reserve = 0) { bytes_.reserve(reserve); }

  void byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }

  template <class Number>
  void fixed(Number value) {
    char raw[sizeof(Number)];
    for (size_t i = 0; i < sizeof(Number); ++i)
      raw[i] = static_cast<char>(value >> (8 * i));
    bytes_.append(raw, sizeof raw);
  }

  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      byte(static_cast<uint8_t>(value) | 0x80);
    byte(static_cast<uint8_t>(value));
  }

  void raw(std::string_view text) { bytes_.append(text); }

  void text(std::string_view text) {
    number(text.size());
    raw(text);
  }

  void id(const uuid& value) {
    raw({reinterpret_cast<const char*>(value.bytes.data()), 16});
  }

  // -- what `describe` calls --------------------------------------------------

  void operator()(uint64_t value) { number(value); }
  void operator()(uint32_t value) { number(value); }
  void operator()(time_us value) { fixed(static_cast<uint64_t>(value)); }
  void operator()(bool value) { byte(value); }
  void operator()(const std::string& value) { text(value); }
  void operator()(const slice& value) { text(value.view); }
  void operator()(const uuid& value) { id(value); }
  void operator()(subscription_mode value) {
    byte(static_cast<uint8_t>(value));
  }

  std::string done() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads from the front and never past the end. The first thing that does not
/// fit makes everything after it read as zero; `good` tells.
class field_reader {
public:
  /// Slices share `owner`; without one they are copies.
  explicit field_reader(std::string_view bytes,
                        std::shared_ptr<const std::string> owner = nullptr)
    : start_(bytes.data()), rest_(bytes), owner_(std::move(owner)) {}

  bool good() const { return good_; }
  bool done() const { return good_ && rest_.empty(); }
  size_t left() const { return rest_.size(); }
  size_t position() const { return static_cast<size_t>(rest_.data() - start_); }
  void fail() {
    good_ = false;
    rest_ = rest_.substr(rest_.size());
  }

  uint8_t byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  template <class Number>
  Number fixed() {
    Number value = 0;
    auto bytes = raw(sizeof(Number));
    for (size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<Number>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    return value;
  }

  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t next = byte();
      if (shift == 63 && next > 1)
        break; // more than 64 bits
      value |= static_cast<uint64_t>(next & 0x7f) << shift;
      if (next < 0x80)
        return value;
    }
    fail();
    return 0;
  }

  std::string_view raw(size_t size) {
    if (rest_.size() < size) {
      fail();
      return {};
    }
    auto bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view text() {
    uint64_t size = number();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    return raw(size);
  }

  uuid id() {
    uuid value;
    auto bytes = raw(16);
    for (size_t i = 0; i < bytes.size(); ++i)
      value.bytes[i] = static_cast<uint8_t>(bytes[i]);
    return value;
  }

  slice piece() {
    auto bytes = text();
    return owner_ ? slice{owner_, bytes} : slice::own(std::string{bytes});
  }

  // -- what `describe` calls --------------------------------------------------

  void operator()(uint64_t& value) { value = number(); }
  void operator()(uint32_t& value) {
    uint64_t wide = number();
    if (wide > UINT32_MAX)
      fail();
    value = good_ ? static_cast<uint32_t>(wide) : 0;
  }
  void operator()(time_us& value) {
    value = static_cast<time_us>(fixed<uint64_t>());
  }
  void operator()(bool& value) { value = small(1); }
  void operator()(std::string& value) { value = text(); }
  void operator()(slice& value) { value = piece(); }
  void operator()(uuid& value) { value = id(); }
  void operator()(subscription_mode& value) {
    value = static_cast<subscription_mode>(
      small(static_cast<uint8_t>(subscription_mode::timestamp)));
  }

private:
  uint8_t small(uint8_t highest) {
    uint8_t value = byte();
    if (value <= highest)
      return value;
    fail();
    return 0;
  }

  const char* start_;
  std::string_view rest_;
  std::shared_ptr<const std::string> owner_;
  bool good_ = true;
};

// -- the records that rows and effects share ----------------------------------

template <class Codec>
void describe(Codec& field, queue_record& x) {
  field(x.id);
  field(x.tenant);
  field(x.name);
  field(x.name_space);
  field(x.task);
  field(x.options.lease_time);
  field(x.options.retry_limit);
  field(x.options.dead_letter_queue);
  field(x.options.dlq_after_max_retries);
  field(x.options.dedup_window_seconds);
  field(x.options.delayed_processing);
  field(x.options.window_buffer);
  field(x.options.retention_enabled);
  field(x.options.retention_seconds);
  field(x.options.completed_retention_seconds);
  field(x.options.max_wait_time_seconds);
  field(x.options.encryption_enabled);
  field(x.options.priority);
  field(x.options.retry_delay);
  field(x.options.ttl);
  field(x.options.max_size);
  field(x.options.min_pop_wait_time);
  field(x.created_at);
}

template <class Codec>
void describe(Codec& field, cursor_record& x) {
  field(x.cursor);
  field(x.lease_id);
  field(x.batch_start);
  field(x.batch_end);
  field(x.expires_at);
  field(x.seen_below);
  field(x.redeliveries);
  field(x.retries);
  field(x.released_lease);
  field(x.released_start);
  field(x.released_end);
  field(x.released_hash);
}

template <class Codec>
void describe(Codec& field, group_record& x) {
  field(x.queue);
  field(x.group);
  field(x.mode);
  field(x.since_index);
  field(x.from);
  field(x.conflation);
  field(x.created_at);
}

template <class Codec>
void describe(Codec& field, timer_record& x) {
  field(x.queue);
  field(x.timer_key);
  field(x.partition);
  field(x.txn);
  field(x.message_id);
  field(x.deliver_at);
  field(x.created_at);
  field(x.attempts);
  field(x.last_error);
  field(x.payload);
}

/// The writer only reads what it is given, but `describe` is one list for both
/// directions and therefore takes its struct as mutable.
template <class T>
void write_fields(field_writer& out, const T& value) {
  describe(out, const_cast<T&>(value));
}

// -- one message of an append -------------------------------------------------
//
//   message id (16)  flags (1)
//   [transaction id]  flag 1: it is not the message id's text
//   [trace id (16)]   flag 2
//   [producer sub]    flag 4
//   payload

namespace message_flag {
inline constexpr uint8_t transaction_id = 1;
inline constexpr uint8_t trace_id = 2;
inline constexpr uint8_t producer_sub = 4;
inline constexpr uint8_t all = 7;
} // namespace message_flag

/// The least that one message takes: id, flags, an empty payload's length.
inline constexpr size_t message_bytes_min = 18;

struct message_fields {
  uuid message_id;
  uint8_t flags = 0;
  std::string_view transaction_id; // empty without its flag
  std::optional<uuid> trace_id;
  std::string_view producer_sub, payload;
};

inline void write_message(field_writer& out, const stored_message& message,
                          bool own_transaction_id) {
  out.id(message.message_id);
  uint8_t flags = 0;
  if (own_transaction_id)
    flags |= message_flag::transaction_id;
  if (message.trace_id)
    flags |= message_flag::trace_id;
  if (!message.producer_sub.empty())
    flags |= message_flag::producer_sub;
  out.byte(flags);
  if (own_transaction_id)
    out.text(message.transaction_id);
  if (message.trace_id)
    out.id(*message.trace_id);
  if (!message.producer_sub.empty())
    out.text(message.producer_sub);
  out.text(message.payload.view);
}

inline message_fields read_message(field_reader& in) {
  message_fields message;
  message.message_id = in.id();
  message.flags = in.byte();
  if (message.flags & ~message_flag::all)
    in.fail();
  if (message.flags & message_flag::transaction_id)
    message.transaction_id = in.text();
  if (message.flags & message_flag::trace_id)
    message.trace_id = in.id();
  if (message.flags & message_flag::producer_sub)
    message.producer_sub = in.text();
  message.payload = in.text();
  return message;
}

/// An upper bound of what write_message writes.
inline size_t message_bytes_max(const stored_message& message) {
  return 16 + 1 + 16 + 3 * 10 + message.transaction_id.size() +
         message.producer_sub.size() + message.payload.view.size();
}

} // namespace queen::domain
