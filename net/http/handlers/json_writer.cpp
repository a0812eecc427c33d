#include "net/http/handlers/json_writer.hpp"

#include "net/http/handlers/json_text.hpp"

namespace queen::net {

void json_writer::separate() {
  if (comma_)
    out_ += ',';
  comma_ = true;
}

json_writer& json_writer::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

json_writer& json_writer::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\":";
  comma_ = false;
  return *this;
}

json_writer& json_writer::text(std::string_view value) {
  separate();
  append_quoted(out_, value);
  return *this;
}

json_writer& json_writer::raw(std::string_view json) {
  separate();
  out_ += json.empty() ? std::string_view{"null"} : json;
  return *this;
}

json_writer& json_writer::number(uint64_t value) {
  separate();
  char digits[20];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
  return *this;
}

json_writer& json_writer::id(const domain::uuid& value) {
  constexpr char hex[] = "0123456789abcdef";
  separate();
  char text[38];
  char* at = text;
  *at++ = '"';
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      *at++ = '-';
    *at++ = hex[value.bytes[i] >> 4];
    *at++ = hex[value.bytes[i] & 15];
  }
  *at++ = '"';
  out_.append(text, at);
  return *this;
}

json_writer& json_writer::time(domain::time_us value) {
  if (value == 0)
    return null();
  return text(domain::to_iso(value));
}

json_writer& json_writer::digits(uint64_t value) {
  separate();
  char text[20];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out_ += '"';
  out_.append(text, end);
  out_ += '"';
  return *this;
}

} // namespace queen::net
