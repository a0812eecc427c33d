#include "actors/domain/ids.hpp"

#include <xxhash.h>

namespace queen::domain {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";
constexpr int64_t day_seconds = 86400;

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool dash_at(size_t position) {
  return position == 8 || position == 13 || position == 18 || position == 23;
}

struct civil_date {
  int64_t year;
  int month, day;
};

bool leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in_month(int64_t year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap(year) ? 29 : days[month - 1];
}

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar. Years are counted
/// from March, so that the leap day is a year's last one.
int64_t to_days(civil_date date) {
  int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  int64_t month = (date.month + 9) % 12; // March is 0
  int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  return year * 365 + floor_div(year, 4) - floor_div(year, 100) +
         floor_div(year, 400) + day_of_year - 719468;
}

civil_date to_civil(int64_t days) {
  // An estimate from the mean year, then at most two steps to the right one.
  int64_t year = 1970 + floor_div(days * 400, 146097);
  while (to_days({year + 1, 1, 1}) <= days)
    ++year;
  while (to_days({year, 1, 1}) > days)
    --year;
  auto rest = static_cast<int>(days - to_days({year, 1, 1}));
  int month = 1;
  while (rest >= days_in_month(year, month))
    rest -= days_in_month(year, month++);
  return {year, month, rest + 1};
}

void put_digits(char* out, int width, int64_t value) {
  for (int i = width - 1; i >= 0; --i, value /= 10)
    out[i] = static_cast<char>('0' + value % 10);
}

/// Reads fixed-width fields from the front of a text; sticky on failure.
struct field_reader {
  std::string_view rest;
  bool good = true;

  int number(size_t width) {
    if (!good || rest.size() < width)
      return fail();
    int value = 0;
    for (char c : rest.substr(0, width)) {
      if (c < '0' || c > '9')
        return fail();
      value = value * 10 + (c - '0');
    }
    rest.remove_prefix(width);
    return value;
  }

  void literal(char c) {
    if (!accept(c))
      good = false;
  }

  bool accept(char c) {
    if (!good || rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }

private:
  int fail() {
    good = false;
    return 0;
  }
};

} // namespace

uuid_text text_of(const uuid& id) {
  uuid_text text;
  size_t at = 0;
  for (uint8_t byte : id.bytes) {
    if (dash_at(at))
      text[at++] = '-';
    text[at++] = hex_digits[byte >> 4];
    text[at++] = hex_digits[byte & 15];
  }
  return text;
}

std::string to_string(const uuid& id) {
  return std::string{view_of(text_of(id))};
}

std::optional<uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36)
    return std::nullopt;
  uuid id;
  size_t at = 0;
  for (uint8_t& byte : id.bytes) {
    if (dash_at(at) && text[at++] != '-')
      return std::nullopt;
    int high = hex_value(text[at]), low = hex_value(text[at + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    byte = static_cast<uint8_t>(high << 4 | low);
    at += 2;
  }
  return id;
}

uuid make_uuid_v7(int64_t unix_ms, uint64_t random_high, uint64_t random_low) {
  uuid id;
  for (size_t i = 0; i < 6; ++i)
    id.bytes[i] = static_cast<uint8_t>(unix_ms >> (40 - 8 * i));
  // 12 random bits share two bytes with the version, 62 share eight with the
  // variant (RFC 9562, section 5.7).
  id.bytes[6] = static_cast<uint8_t>(0x70 | (random_high >> 8 & 0x0f));
  id.bytes[7] = static_cast<uint8_t>(random_high);
  for (size_t i = 0; i < 8; ++i)
    id.bytes[8 + i] = static_cast<uint8_t>(random_low >> (56 - 8 * i));
  id.bytes[8] = static_cast<uint8_t>(0x80 | (id.bytes[8] & 0x3f));
  return id;
}

uuid default_tenant() {
  uuid id;
  id.bytes[15] = 1;
  return id;
}

std::string to_iso(time_us at) {
  int64_t seconds = floor_div(at, 1'000'000);
  int64_t micros = at - seconds * 1'000'000;
  int64_t days = floor_div(seconds, day_seconds);
  int64_t of_day = seconds - days * day_seconds;
  civil_date date = to_civil(days);
  std::string text = "0000-00-00T00:00:00.000000Z";
  put_digits(&text[0], 4, date.year);
  put_digits(&text[5], 2, date.month);
  put_digits(&text[8], 2, date.day);
  put_digits(&text[11], 2, of_day / 3600);
  put_digits(&text[14], 2, of_day / 60 % 60);
  put_digits(&text[17], 2, of_day % 60);
  put_digits(&text[20], 6, micros);
  return text;
}

std::optional<time_us> parse_iso(std::string_view text) {
  field_reader in{text};
  civil_date date{};
  date.year = in.number(4);
  in.literal('-');
  date.month = in.number(2);
  in.literal('-');
  date.day = in.number(2);
  in.literal('T');
  int hour = in.number(2);
  in.literal(':');
  int minute = in.number(2);
  in.literal(':');
  int second = in.number(2);
  int64_t micros = 0;
  if (in.accept('.')) {
    int digits = 0;
    for (; !in.rest.empty() && in.rest.front() >= '0' && in.rest.front() <= '9';
         in.rest.remove_prefix(1), ++digits)
      if (digits < 6) // finer than a microsecond is cut
        micros = micros * 10 + (in.rest.front() - '0');
    if (digits == 0 || digits > 9)
      return std::nullopt;
    for (; digits < 6; ++digits)
      micros *= 10;
  }
  int64_t zone_minutes = 0;
  if (!in.accept('Z')) {
    bool west = in.accept('-');
    if (!west)
      in.literal('+');
    int zone_hours = in.number(2);
    in.accept(':'); // +0200 and +02:00 are both in use
    int zone_rest = in.number(2);
    if (zone_hours > 23 || zone_rest > 59)
      return std::nullopt;
    zone_minutes = (west ? -1 : 1) * (zone_hours * 60 + zone_rest);
  }
  if (!in.good || !in.rest.empty() || date.month < 1 || date.month > 12 ||
      date.day < 1 || date.day > days_in_month(date.year, date.month) ||
      hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  int64_t seconds = to_days(date) * day_seconds + hour * 3600 + minute * 60 +
                    second - zone_minutes * 60;
  return seconds * 1'000'000 + micros;
}

uint64_t id_hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

} // namespace queen::domain
