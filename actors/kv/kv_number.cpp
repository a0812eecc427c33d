#include "actors/kv/kv_number.hpp"

#include <charconv>
#include <cmath>

namespace queen::actors {

using domain::number;

std::optional<number> parse_number(std::string_view json) {
  if (json.empty() || (json[0] != '-' && (json[0] < '0' || json[0] > '9')))
    return std::nullopt; // not what from_chars takes besides: inf, nan
  auto end = json.data() + json.size();
  number out;
  auto whole = std::from_chars(json.data(), end, out.whole);
  if (whole.ec == std::errc{} && whole.ptr == end) {
    out.real = static_cast<double>(out.whole);
    return out;
  }
  out = {};
  out.integral = false;
  auto real = std::from_chars(json.data(), end, out.real);
  if (real.ec != std::errc{} || real.ptr != end || !std::isfinite(out.real))
    return std::nullopt;
  return out;
}

std::optional<number> add(const number& a, const number& b) {
  number out;
  if (a.integral && b.integral) {
    if (__builtin_add_overflow(a.whole, b.whole, &out.whole))
      return std::nullopt;
    out.real = static_cast<double>(out.whole);
    return out;
  }
  out.integral = false;
  out.real = (a.integral ? static_cast<double>(a.whole) : a.real) +
             (b.integral ? static_cast<double>(b.whole) : b.real);
  if (!std::isfinite(out.real))
    return std::nullopt;
  return out;
}

bool less(const number& a, const number& b) {
  if (a.integral && b.integral)
    return a.whole < b.whole;
  return (a.integral ? static_cast<double>(a.whole) : a.real) <
         (b.integral ? static_cast<double>(b.whole) : b.real);
}

std::string to_json(const number& n) {
  if (n.integral)
    return std::to_string(n.whole);
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, n.real).ptr;
  return {text, end};
}

} // namespace queen::actors
