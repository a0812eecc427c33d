#include "actors/kv/kv_number.hpp"

#include <catch2/catch.hpp>

using namespace queen::actors;

namespace {

std::string sum(const char* a, const char* b) {
  auto left = parse_number(a), right = parse_number(b);
  REQUIRE(left);
  REQUIRE(right);
  auto out = add(*left, *right);
  return out ? to_json(*out) : "none";
}

} // namespace

TEST_CASE("numbers: whole ones are exact to the edge of 64 bits") {
  CHECK(sum("9223372036854775806", "1") == "9223372036854775807");
  CHECK(sum("9223372036854775807", "1") == "none");
  CHECK(sum("-9223372036854775808", "-1") == "none");
  CHECK(sum("-9223372036854775808", "1") == "-9223372036854775807");
  CHECK(sum("9007199254740993", "2") == "9007199254740995");
  CHECK(sum("0", "-0") == "0");
}

TEST_CASE("numbers: real ones are doubles, written the shortest way") {
  CHECK(sum("0.1", "0.2") == "0.30000000000000004");
  CHECK(sum("1.5", "1.5") == "3");
  CHECK(sum("1e308", "1e308") == "none");
  CHECK(sum("1", "0.5") == "1.5");
}

TEST_CASE("numbers: what is none") {
  for (auto text :
       {"", "x", "\"1\"", "null", "true", "1x", "[1]", "{}", "1e999"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text));
  }
  CHECK(parse_number("18446744073709551615"));
  CHECK(parse_number("1e3"));
}

TEST_CASE("numbers: order over both kinds") {
  auto is_less = [](const char* a, const char* b) {
    return less(*parse_number(a), *parse_number(b));
  };
  CHECK(is_less("1", "2"));
  CHECK_FALSE(is_less("2", "2"));
  CHECK(is_less("1", "1.5"));
  CHECK(is_less("-0.5", "0"));
  CHECK(is_less("9223372036854775806", "9223372036854775807"));
}
