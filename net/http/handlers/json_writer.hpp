// Writes JSON by appending to one string: commas, escapes, raw values. Payloads
// go through `raw` and are copied as they are.

#pragma once

#include "actors/domain/ids.hpp"

#include <charconv>
#include <string>
#include <string_view>

namespace queen::net {

class json_writer {
public:
  explicit json_writer(size_t expected = 256) { out_.reserve(expected); }

  json_writer& begin_object() { return open('{'); }
  json_writer& end_object() { return close('}'); }
  json_writer& begin_array() { return open('['); }
  json_writer& end_array() { return close(']'); }

  /// The name is one of ours and needs no escape.
  json_writer& key(std::string_view name);

  json_writer& text(std::string_view value);
  /// JSON text; an empty one is null.
  json_writer& raw(std::string_view json);
  json_writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  json_writer& null() { return raw("null"); }
  json_writer& number(uint64_t value);
  json_writer& id(const domain::uuid& value);
  /// ISO text; 0 is null.
  json_writer& time(domain::time_us value);
  /// Digits in quotes: ids of 64 bits are opaque strings on the wire.
  json_writer& digits(uint64_t value);

  // A member in one line.
  json_writer& text(std::string_view name, std::string_view value) {
    return key(name).text(value);
  }
  /// An empty text is null.
  json_writer& text_or_null(std::string_view name, std::string_view value) {
    return value.empty() ? key(name).null() : key(name).text(value);
  }
  json_writer& raw(std::string_view name, std::string_view json) {
    return key(name).raw(json);
  }
  json_writer& boolean(std::string_view name, bool value) {
    return key(name).boolean(value);
  }
  json_writer& null(std::string_view name) { return key(name).null(); }
  json_writer& number(std::string_view name, uint64_t value) {
    return key(name).number(value);
  }
  json_writer& id(std::string_view name, const domain::uuid& value) {
    return key(name).id(value);
  }
  /// A nil id is null.
  json_writer& id_or_null(std::string_view name, const domain::uuid& value) {
    return value.nil() ? key(name).null() : key(name).id(value);
  }
  json_writer& time(std::string_view name, domain::time_us value) {
    return key(name).time(value);
  }
  json_writer& digits(std::string_view name, uint64_t value) {
    return key(name).digits(value);
  }

  std::string take() { return std::move(out_); }

private:
  json_writer& open(char bracket);
  json_writer& close(char bracket);
  void separate();

  std::string out_;
  bool comma_ = false; // a value ended before
};

} // namespace queen::net
