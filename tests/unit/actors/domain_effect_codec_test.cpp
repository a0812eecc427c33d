#include "tests/unit/actors/domain_samples.hpp"
#include "tests/unit/actors/golden.hpp"

using namespace queen;
using namespace queen::domain;

namespace {

result<log_entry> decode(std::string bytes) {
  return decode_entry(std::make_shared<const std::string>(std::move(bytes)));
}

const char* name_of(const effect& what) {
  static const char* names[] = {"put_queue",
                                "ensure_partition",
                                "append",
                                "put_cursor",
                                "file_dead_letter",
                                "put_group",
                                "put_kv",
                                "erase_kv",
                                "put_timer",
                                "erase_timer",
                                "file_timer_dead_letter",
                                "erase_queue",
                                "trim_partition"};
  static_assert(std::size(names) == std::variant_size_v<effect>);
  return names[what.index()];
}

} // namespace

TEST_CASE("the bytes of each effect are the ones that version 1 wrote") {
  golden::values values;
  for (const auto& what : samples::one_of_each())
    values.emplace_back(
      name_of(what),
      samples::hex(encode(log_entry{samples::noon, samples::id(20), {what}})));
  values.emplace_back("empty", samples::hex(encode(log_entry{})));
  golden::check("effects.hex", values);
}

TEST_CASE("there is a golden sample of every kind of effect") {
  auto all = samples::one_of_each();
  REQUIRE(all.size() == std::variant_size_v<effect>);
  for (size_t i = 0; i < all.size(); ++i)
    REQUIRE(all[i].index() == i);
}

TEST_CASE("an entry reads back as what was written") {
  samples::source from{20};
  for (int i = 0; i < 3000; ++i) {
    auto entry = from.entry(from.below(6));
    auto bytes = encode(entry);
    auto again = decode(bytes);
    REQUIRE(again);
    REQUIRE(again->stamp == entry.stamp);
    REQUIRE(again->request_id == entry.request_id);
    REQUIRE(again->effects.size() == entry.effects.size());
    REQUIRE(encode(*again) == bytes);
  }
}

TEST_CASE("fields land where they came from") {
  auto again =
    decode(encode(log_entry{5, samples::id(1), samples::one_of_each()}));
  REQUIRE(again);
  auto& effects = again->effects;
  REQUIRE(std::get<put_queue>(effects[0]).queue == samples::queue());
  REQUIRE(std::get<put_queue>(effects[0]).ensure);
  REQUIRE(std::get<ensure_partition>(effects[1]).name == "customer-42");
  auto& messages = std::get<append>(effects[2]).messages;
  REQUIRE(messages.size() == 3);
  REQUIRE(messages[0].transaction_id.empty());
  REQUIRE(messages[1].transaction_id == "order-1");
  REQUIRE(messages[1].trace_id == samples::id(7));
  REQUIRE(messages[1].producer_sub == "alice");
  REQUIRE(messages[1].payload.view == R"({"n":1.50})");
  REQUIRE(std::get<put_cursor>(effects[3]).cursor == samples::cursor());
  REQUIRE(std::get<put_cursor>(effects[3]).closed_lease == samples::id(9));
  REQUIRE(std::get<file_dead_letter>(effects[4]).offset == 6);
  REQUIRE(std::get<put_group>(effects[5]).group == samples::group());
  REQUIRE(std::get<put_kv>(effects[6]).value.view == "[1]");
  REQUIRE(std::get<erase_kv>(effects[7]).version == 90102);
  REQUIRE(std::get<put_timer>(effects[8]).timer.txn == "t-7");
  REQUIRE(std::get<erase_timer>(effects[9]).timer_key == "order-7");
  REQUIRE(std::get<file_timer_dead_letter>(effects[10]).timer.attempts == 3);
  REQUIRE(std::get<erase_queue>(effects[11]).name == "a.b.c");
  REQUIRE(std::get<trim_partition>(effects[12]).upto == 128);
}

TEST_CASE("payloads of a decoded entry are the entry's own bytes") {
  auto bytes = std::make_shared<const std::string>(
    encode(log_entry{5, {}, samples::one_of_each()}));
  auto entry = decode_entry(bytes);
  REQUIRE(entry);
  auto inside = [&](const slice& piece) {
    return piece.owner == bytes && piece.view.data() >= bytes->data() &&
           piece.view.data() + piece.view.size() <=
             bytes->data() + bytes->size();
  };
  for (const auto& message : std::get<append>(entry->effects[2]).messages)
    REQUIRE(inside(message.payload));
  REQUIRE(inside(std::get<put_kv>(entry->effects[6]).value));
  REQUIRE(inside(std::get<put_timer>(entry->effects[8]).timer.payload));
}

TEST_CASE("an entry of a newer format is refused as newer") {
  auto bytes = encode(log_entry{5, {}, samples::one_of_each()});
  bytes[0] = entry_format_version + 1;
  REQUIRE(decode(bytes).reason().code == errc::format_newer);
  bytes[0] = 0;
  REQUIRE(decode(bytes).reason().code == errc::damaged);
}

TEST_CASE("an entry that is cut or longer than its effects is damaged") {
  auto bytes = encode(log_entry{5, {}, samples::one_of_each()});
  for (size_t size = 0; size < bytes.size(); ++size)
    REQUIRE(decode(bytes.substr(0, size)).reason().code == errc::damaged);
  REQUIRE(decode(bytes + '\0').reason().code == errc::damaged);
}

TEST_CASE("an unknown effect is damaged") {
  auto bytes = encode(log_entry{5, {}, {trim_partition{1, 2, 3}}});
  bytes[1 + 8 + 16 + 1] = std::variant_size_v<effect>;
  REQUIRE(decode(bytes).reason().code == errc::damaged);
}

TEST_CASE("a damaged count of messages or effects reserves no memory") {
  std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  std::string head = encode(log_entry{5, {}, {}});
  head.pop_back();
  REQUIRE(decode(head + huge).reason().code == errc::damaged);
  std::string append_head{"\x01\x02\x01\x01", 4}; // one effect: append 1 1
  REQUIRE(
    decode(head + append_head + huge + std::string(100, '\0')).reason().code ==
    errc::damaged);
}

TEST_CASE("damaged entries never crash the decoder") {
  samples::source from{21};
  size_t survived = 0;
  for (int i = 0; i < 20000; ++i) {
    auto entry = decode(from.damage(encode(from.entry(1 + from.below(5)))));
    // What still decodes must be a value that encodes and decodes again.
    if (entry) {
      ++survived;
      REQUIRE(decode(encode(*entry)));
    } else {
      auto code = entry.reason().code;
      REQUIRE((code == errc::damaged || code == errc::format_newer));
    }
    (void)decode(from.text(60));
  }
  REQUIRE(survived > 0); // a flip inside a payload does no harm here
}
