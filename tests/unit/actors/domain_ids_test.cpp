#include "actors/domain/ids.hpp"
#include "actors/domain/queue_options.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace queen::domain;

TEST_CASE("a uuid's text reads back as the same uuid") {
  std::mt19937_64 random{1};
  for (int i = 0; i < 1000; ++i) {
    uuid id;
    for (auto& byte : id.bytes)
      byte = static_cast<uint8_t>(random());
    auto text = to_string(id);
    REQUIRE(text.size() == 36);
    REQUIRE(parse_uuid(text) == id);
    REQUIRE(view_of(text_of(id)) == text);
  }
}

TEST_CASE("a uuid is written in lower case and read in any") {
  auto id = parse_uuid("0198D1C0-ABCD-7EF0-8123-456789ABCDEF");
  REQUIRE(id);
  REQUIRE(to_string(*id) == "0198d1c0-abcd-7ef0-8123-456789abcdef");
}

TEST_CASE("only the 36-character form is a uuid") {
  for (auto text : {"", "0198d1c0abcd7ef08123456789abcdef",
                    "0198d1c0-abcd-7ef0-8123-456789abcde",
                    "0198d1c0-abcd-7ef0-8123-456789abcdef0",
                    "0198d1c0-abcd-7ef0-8123-456789abcdeg",
                    "0198d1c0xabcd-7ef0-8123-456789abcdef",
                    "{198d1c0-abcd-7ef0-8123-456789abcde}",
                    "0198d1c0-abcd-7ef0-81234-56789abcdef"})
    REQUIRE_FALSE(parse_uuid(text));
}

TEST_CASE("a version 7 uuid carries time, version, variant and all 74 bits") {
  auto id = make_uuid_v7(0x0198d1c0abcd, ~uint64_t{0}, ~uint64_t{0});
  REQUIRE(to_string(id) == "0198d1c0-abcd-7fff-bfff-ffffffffffff");
  id = make_uuid_v7(0x0198d1c0abcd, 0, 0);
  REQUIRE(to_string(id) == "0198d1c0-abcd-7000-8000-000000000000");
  REQUIRE(make_uuid_v7(1000, ~uint64_t{0}, ~uint64_t{0}) <
          make_uuid_v7(1001, 0, 0));
}

TEST_CASE("the default tenant is the spec's") {
  REQUIRE(to_string(default_tenant()) ==
          "00000000-0000-0000-0000-000000000001");
  REQUIRE(uuid{}.nil());
  REQUIRE_FALSE(default_tenant().nil());
}

TEST_CASE("times are written with microseconds and Z") {
  REQUIRE(to_iso(0) == "1970-01-01T00:00:00.000000Z");
  REQUIRE(to_iso(-1) == "1969-12-31T23:59:59.999999Z");
  REQUIRE(to_iso(1785409364512873) == "2026-07-30T11:02:44.512873Z");
  REQUIRE(to_iso(951782400000000) == "2000-02-29T00:00:00.000000Z");
}

TEST_CASE("times read back as what was written, over four centuries") {
  std::mt19937_64 random{2};
  std::uniform_int_distribution<time_us> any(-6'000'000'000'000'000,
                                             13'000'000'000'000'000);
  for (int i = 0; i < 5000; ++i) {
    time_us at = any(random);
    REQUIRE(parse_iso(to_iso(at)) == at);
  }
  // Every day's first and last microsecond, so every month's length counts.
  for (int64_t day = 10'000; day < 40'000; ++day)
    for (time_us at : {day * 86'400'000'000, day * 86'400'000'000 - 1})
      REQUIRE(parse_iso(to_iso(at)) == at);
}

TEST_CASE("an ISO time may have no to nine fraction digits and a zone") {
  time_us noon = *parse_iso("2026-07-30T12:00:00Z");
  REQUIRE(parse_iso("2026-07-30T12:00:00.5Z") == noon + 500'000);
  REQUIRE(parse_iso("2026-07-30T12:00:00.123456789Z") == noon + 123'456);
  REQUIRE(parse_iso("2026-07-30T14:30:00+02:30") == noon);
  REQUIRE(parse_iso("2026-07-30T09:30:00.000-0230") == noon);
}

TEST_CASE("what is no ISO time is refused") {
  for (auto text :
       {"", "now", "2026-07-30", "2026-07-30T12:00:00", "2026-07-30 12:00:00Z",
        "2026-13-30T12:00:00Z", "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z",
        "2026-07-00T12:00:00Z", "2026-07-30T24:00:00Z", "2026-07-30T12:60:00Z",
        "2026-07-30T12:00:60Z", "2026-07-30T12:00:00.Z",
        "2026-07-30T12:00:00.1234567890Z", "2026-07-30T12:00:00Zx",
        "2026-07-30T12:00:00+2", "2026-7-30T12:00:00Z",
        "2026-07-30T12:00:00+24:00", "-026-07-30T12:00:00Z"}) {
    INFO(text);
    REQUIRE_FALSE(parse_iso(text));
  }
}

TEST_CASE("the id hash is the stored one for ever") {
  REQUIRE(id_hash("") == 0x2d06800538d394c2);
  REQUIRE(id_hash("order-1") == id_hash(std::string{"order-1"}));
  REQUIRE(id_hash("order-1") != id_hash("order-2"));
}

TEST_CASE("a queue's labels are its name's first two dotted parts") {
  auto labels = [](const char* name) {
    queue_record queue;
    queue.name = name;
    queue.name_space = queue.task = "old";
    label_from_name(queue);
    return queue.name_space + "|" + queue.task;
  };
  REQUIRE(labels("a.b.c") == "a|b");
  REQUIRE(labels("a.b") == "a|b");
  REQUIRE(labels("orders") == "orders|");
  REQUIRE(labels("") == "|");
  REQUIRE(labels(".b") == "|b");
}
