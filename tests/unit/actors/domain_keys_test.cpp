#include "actors/domain/rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

using namespace queen::domain;
using namespace std::string_literals;

namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<uint8_t>(c));
    out += pair;
  }
  return out;
}

/// Short strings over few bytes, so that prefixes and escapes collide often.
std::string awkward_text(std::mt19937_64& random) {
  static const std::string letters = "\x00\x01\xff\xfe"
                                     "ab"s;
  std::string text;
  for (size_t i = random() % 5; i > 0; --i)
    text += letters[random() % letters.size()];
  return text;
}

uuid small_uuid(std::mt19937_64& random) {
  uuid id;
  id.bytes[0] = static_cast<uint8_t>(random() % 2 * 255);
  id.bytes[15] = static_cast<uint8_t>(random() % 3);
  return id;
}

uint64_t small_number(std::mt19937_64& random) {
  static const uint64_t numbers[] = {0, 1, 255, 256, 65536, ~uint64_t{0}};
  return numbers[random() % 6];
}

bool in_prefix(std::string_view key, std::string_view prefix) {
  auto end = key::prefix_end(prefix);
  return key >= prefix && (end.empty() || key < end);
}

} // namespace

TEST_CASE("the bytes of each key are the stored ones for ever") {
  uuid t = default_tenant();
  const std::string tenant = "00000000000000000000000000000001";
  REQUIRE(hex(key::meta("applied")) == "4d6170706c696564");
  REQUIRE(hex(key::queue(t, "ab")) == "51" + tenant + "6162");
  REQUIRE(hex(key::queue_by_id(258)) == "710000000000000102");
  REQUIRE(hex(key::partition(1, 2)) == "5000000000000000010000000000000002");
  REQUIRE(hex(key::partition_by_name(1, "p")) == "6e000000000000000170");
  REQUIRE(hex(key::owner(2)) == "6f0000000000000002");
  REQUIRE(hex(key::append(1, 2, 3)) ==
          "61000000000000000100000000000000020000000000000003");
  REQUIRE(hex(key::cursor(1, "g\0h"s, 2)) ==
          "6300000000000000016700ff6800010000000000000002");
  REQUIRE(hex(key::lease(t, 2)) == "6c" + tenant + "0000000000000002");
  REQUIRE(hex(key::group(t, "q", "g")) == "67" + tenant + "71000167");
  REQUIRE(hex(key::dead_letter(1, t)) == "640000000000000001" + tenant);
  REQUIRE(hex(key::kv(t, "n", "k")) == "6b" + tenant + "6e00016b");
  REQUIRE(hex(key::kv_version(t)) == "76" + tenant);
  REQUIRE(hex(key::timer(t, "q", "k")) == "74" + tenant + "7100016b");
  REQUIRE(hex(key::timer_due(5, t, "q", "k")) ==
          "758000000000000005" + tenant + "7100016b");
}

TEST_CASE("keys sort as their fields do") {
  std::mt19937_64 random{3};
  for (int i = 0; i < 20000; ++i) {
    auto q1 = small_number(random), q2 = small_number(random);
    auto p1 = small_number(random), p2 = small_number(random);
    auto s1 = awkward_text(random), s2 = awkward_text(random);
    auto r1 = awkward_text(random), r2 = awkward_text(random);
    auto t1 = small_uuid(random), t2 = small_uuid(random);
    auto d1 = static_cast<time_us>(q1), d2 = static_cast<time_us>(q2);
    REQUIRE((key::cursor(q1, s1, p1) < key::cursor(q2, s2, p2)) ==
            (std::tie(q1, s1, p1) < std::tie(q2, s2, p2)));
    REQUIRE((key::kv(t1, s1, r1) < key::kv(t2, s2, r2)) ==
            (std::tie(t1, s1, r1) < std::tie(t2, s2, r2)));
    REQUIRE((key::timer_due(d1, t1, s1, r1) < key::timer_due(d2, t2, s2, r2)) ==
            (std::tie(d1, t1, s1, r1) < std::tie(d2, t2, s2, r2)));
    REQUIRE((key::append(q1, p1, q2) < key::append(q2, p2, q1)) ==
            (std::tie(q1, p1, q2) < std::tie(q2, p2, q1)));
    REQUIRE((key::queue(t1, s1) < key::queue(t2, s2)) ==
            (std::tie(t1, s1) < std::tie(t2, s2)));
  }
}

TEST_CASE("a prefix covers exactly the keys of its fields") {
  std::mt19937_64 random{4};
  for (int i = 0; i < 20000; ++i) {
    auto q1 = small_number(random), q2 = small_number(random);
    auto p1 = small_number(random);
    auto s1 = awkward_text(random), s2 = awkward_text(random);
    auto r1 = awkward_text(random);
    auto t1 = small_uuid(random), t2 = small_uuid(random);
    REQUIRE(in_prefix(key::cursor(q1, s1, p1), key::cursors_of(q2, s2)) ==
            (q1 == q2 && s1 == s2));
    REQUIRE(in_prefix(key::cursor(q1, s1, p1), key::cursors_of_queue(q2)) ==
            (q1 == q2));
    REQUIRE(in_prefix(key::kv(t1, s1, r1), key::kv_of(t2, s2)) ==
            (t1 == t2 && s1 == s2));
    REQUIRE(in_prefix(key::timer(t1, s1, r1), key::timers_of(t2, s2)) ==
            (t1 == t2 && s1 == s2));
    REQUIRE(in_prefix(key::group(t1, s1, r1), key::groups_of(t2, s2)) ==
            (t1 == t2 && s1 == s2));
    REQUIRE(in_prefix(key::append(q1, p1, 7), key::appends_of_queue(q2)) ==
            (q1 == q2));
    REQUIRE(in_prefix(key::append(q1, p1, 7), key::appends_of(q2, p1)) ==
            (q1 == q2));
    REQUIRE(in_prefix(key::timer_due(static_cast<time_us>(q1), t1, s1, r1),
                      key::timers_due()));
    REQUIRE((key::timer_due(static_cast<time_us>(q1), t1, s1, r1) >=
             key::timers_due_from(static_cast<time_us>(q2))) ==
            (static_cast<time_us>(q1) >= static_cast<time_us>(q2)));
  }
}

TEST_CASE("the end of a prefix of only the highest bytes is no bound") {
  REQUIRE(key::prefix_end("a\xff\xff"s) == "b");
  REQUIRE(key::prefix_end("\xff\xff"s).empty());
  REQUIRE(key::prefix_end("").empty());
}

TEST_CASE("a key reads back as its fields") {
  std::mt19937_64 random{5};
  for (int i = 0; i < 5000; ++i) {
    auto q = small_number(random), p = small_number(random),
         o = small_number(random);
    auto s = awkward_text(random), r = awkward_text(random);
    auto t = small_uuid(random);
    auto at = static_cast<time_us>(o);
    queue_id q2 = 9;
    partition_id p2 = 9;
    offset_t o2 = 9;
    std::string s2, r2;
    uuid t2;
    time_us at2 = 9;
    REQUIRE(key::parse_partition(key::partition(q, p), q2, p2));
    REQUIRE(std::tie(q, p) == std::tie(q2, p2));
    REQUIRE(key::parse_append(key::append(q, p, o), q2, p2, o2));
    REQUIRE(std::tie(q, p, o) == std::tie(q2, p2, o2));
    REQUIRE(key::parse_cursor(key::cursor(q, s, p), q2, s2, p2));
    REQUIRE(std::tie(q, s, p) == std::tie(q2, s2, p2));
    REQUIRE(key::parse_lease(key::lease(t, p), t2, p2));
    REQUIRE(std::tie(t, p) == std::tie(t2, p2));
    REQUIRE(key::parse_queue(key::queue(t, s), t2, s2));
    REQUIRE(std::tie(t, s) == std::tie(t2, s2));
    REQUIRE(key::parse_group(key::group(t, s, r), t2, s2, r2));
    REQUIRE(std::tie(t, s, r) == std::tie(t2, s2, r2));
    REQUIRE(key::parse_kv(key::kv(t, r, s), t2, r2, s2));
    REQUIRE(std::tie(t, s, r) == std::tie(t2, s2, r2));
    REQUIRE(key::parse_timer(key::timer(t, s, r), t2, s2, r2));
    REQUIRE(std::tie(t, s, r) == std::tie(t2, s2, r2));
    REQUIRE(key::parse_timer_due(key::timer_due(at, t, s, r), at2, t2, s2, r2));
    REQUIRE(std::tie(at, t, s, r) == std::tie(at2, t2, s2, r2));
  }
}

TEST_CASE("a key of another table, or a cut one, does not parse") {
  queue_id q;
  partition_id p;
  std::string s, r;
  uuid t;
  auto good = key::cursor(1, "g\0h"s, 2);
  REQUIRE_FALSE(key::parse_cursor(key::partition(1, 2), q, s, p));
  REQUIRE_FALSE(key::parse_cursor("", q, s, p));
  for (size_t size = 0; size < good.size(); ++size)
    REQUIRE_FALSE(key::parse_cursor(good.substr(0, size), q, s, p));
  REQUIRE_FALSE(key::parse_cursor(good + "x", q, s, p));
  REQUIRE_FALSE(key::parse_kv(key::timer(t, "a", "b"), t, s, r));
  auto kv = key::kv(t, "ns", "");
  for (size_t size = 0; size < kv.size(); ++size)
    REQUIRE_FALSE(key::parse_kv(kv.substr(0, size), t, s, r));
}
