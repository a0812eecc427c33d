#include "persistence/record.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace queen::persistence;

namespace {

log_append sample() {
  log_append out;
  out.tag = 2;
  out.group = 5;
  out.term = 7;
  out.index = 0x0102030405060708;
  out.payload = std::make_shared<const std::string>("payload");
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out.push_back("0123456789abcdef"[c >> 4]);
    out.push_back("0123456789abcdef"[c & 15]);
  }
  return out;
}

} // namespace

TEST_CASE("a record has the bytes that every later version must read") {
  std::string out;
  encode_record(sample(), {0x1111, 0x2222, 3, true}, out);
  CHECK(hex(std::string_view{out}.substr(8)) ==
        "1111000000000000" // incarnation
        "2222000000000000" // chain
        "0300000000000000" // batch
        "07000000"         // length
        "01010201"         // kind, version, tag, flags
        "05000000"         // group
        "00000000"
        "0700000000000000" // term
        "0807060504030201" // index
        "7061796c6f616400");
}

TEST_CASE("a record reads back as it was written") {
  std::string out;
  auto checksum = encode_record(sample(), {11, 22, 33, false}, out);
  auto back = parse_record(out, 11);
  REQUIRE(back.state == record_state::good);
  CHECK(back.checksum == checksum);
  CHECK(back.bytes == out.size());
  CHECK(back.payload == "payload");
  CHECK(back.what.tag == 2);
  CHECK(back.what.group == 5);
  CHECK(back.what.term == 7);
  CHECK(back.what.index == 0x0102030405060708);
  CHECK(back.where.chain == 22);
  CHECK(back.where.batch == 33);
  CHECK_FALSE(back.where.last_of_batch);
}

TEST_CASE("a record of another use of the file is stale") {
  std::string out;
  encode_record(sample(), {11, 22, 33, false}, out);
  CHECK(parse_record(out, 12).state == record_state::stale);
}

TEST_CASE("no flipped bit and no cut makes a good record") {
  std::string out;
  encode_record(sample(), {11, 22, 33, true}, out);
  for (size_t bit = 0; bit < (record_header_bytes + 7) * 8; ++bit) {
    auto broken = out;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
    CHECK(parse_record(broken, 11).state == record_state::torn);
  }
  for (size_t size = 0; size < record_header_bytes + 7; ++size)
    CHECK(parse_record(std::string_view{out}.substr(0, size), 11).state ==
          record_state::torn);
}

TEST_CASE("garbage is never a record and never read past its end") {
  std::mt19937_64 random{42};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (auto& c : bytes)
      c = static_cast<char>(random());
    // Exactly sized on the heap, so that ASan sees a step past the end.
    std::vector<char> exact(bytes.begin(), bytes.end());
    CHECK(parse_record({exact.data(), exact.size()}, random()).state ==
          record_state::torn);
  }
}
