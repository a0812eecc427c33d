#include "tests/unit/actors/domain_samples.hpp"
#include "tests/unit/actors/golden.hpp"

using namespace queen;
using namespace queen::domain;
using samples::hex;

namespace {

partition_row sample_partition() {
  return {"p", 3, 300, samples::noon, 77};
}

dead_letter_row sample_dead_letter() {
  return {samples::id(1), 17, "p",           "g", "order-1", "boom",
          samples::id(2), 3,  samples::noon, "{}"};
}

kv_row sample_kv() {
  return {"[1]", 90101, samples::noon + 5, samples::noon, samples::noon + 1};
}

lease_row sample_lease() {
  return {300, "g", samples::id(1)};
}

block_ptr parse(const std::string& bytes, offset_t first) {
  auto block =
    append_block::parse(std::make_shared<const std::string>(bytes), first);
  REQUIRE(block);
  return *block;
}

/// Runs every decoder of rows over the bytes; none may crash or read outside.
void decode_all(const std::string& bytes) {
  // An exact heap copy, so that a sanitizer sees a read past the end.
  auto copy = std::make_shared<const std::string>(bytes.data(), bytes.size());
  (void)decode_queue(*copy);
  (void)decode_partition(*copy);
  (void)decode_cursor(*copy);
  (void)decode_group(*copy);
  (void)decode_dead_letter(*copy);
  (void)decode_kv(*copy);
  (void)decode_timer(*copy);
  (void)decode_lease(*copy);
  (void)decode_queue_address(*copy);
  (void)decode_number(*copy);
  auto block = append_block::parse(copy, 5);
  if (block)
    for (uint32_t i = 0; i < (*block)->count(); ++i) {
      auto view = append_block::view(*block, i);
      REQUIRE(view.transaction_id == (*block)->transaction_id(i));
      (void)(*block)->hash(i);
    }
}

std::string any_row(samples::source& from) {
  switch (from.below(9)) {
  case 0:
    return encode(from.queue());
  case 1:
    return encode(from.cursor());
  case 2:
    return encode(from.group());
  case 3:
    return encode(from.timer());
  case 4:
    return encode(sample_partition());
  case 5:
    return encode(sample_dead_letter());
  case 6:
    return encode(sample_kv());
  case 7:
    return encode(sample_lease());
  default:
    return encode_append_row(from.messages(1 + from.below(4)), from.time(),
                             from.number());
  }
}

} // namespace

TEST_CASE("the bytes of each row are the ones that version 1 wrote") {
  golden::check(
    "rows.hex",
    {{"queue", hex(encode(samples::queue()))},
     {"partition", hex(encode(sample_partition()))},
     {"cursor", hex(encode(samples::cursor()))},
     {"group", hex(encode(samples::group()))},
     {"dead_letter", hex(encode(sample_dead_letter()))},
     {"kv", hex(encode(sample_kv()))},
     {"timer", hex(encode(samples::timer()))},
     {"lease", hex(encode(sample_lease()))},
     {"queue_address", hex(encode(queue_address{samples::id(1), "a.b.c"}))},
     {"number", hex(encode_number(0x0102030405060708))},
     {"append",
      hex(encode_append_row(samples::append_of_three(), samples::noon, 77))}});
}

TEST_CASE("each row reads back as what was written") {
  samples::source from{10};
  for (int i = 0; i < 2000; ++i) {
    auto queue = from.queue();
    REQUIRE(*decode_queue(encode(queue)) == queue);
    auto cursor = from.cursor();
    REQUIRE(*decode_cursor(encode(cursor)) == cursor);
    auto group = from.group();
    REQUIRE(*decode_group(encode(group)) == group);
    partition_row partition{from.text(), from.number(), from.number(),
                            from.time(), from.number()};
    REQUIRE(*decode_partition(encode(partition)) == partition);
    dead_letter_row dead{from.id(),   from.number(), from.text(), from.text(),
                         from.text(), from.text(),   from.id(),   from.small(),
                         from.time(), from.text()};
    REQUIRE(*decode_dead_letter(encode(dead)) == dead);
    kv_row kv{from.text(), from.number(), from.time(), from.time(),
              from.time()};
    REQUIRE(*decode_kv(encode(kv)) == kv);
    lease_row lease{from.number(), from.text(), from.id()};
    REQUIRE(*decode_lease(encode(lease)) == lease);
    queue_address address{from.id(), from.text()};
    REQUIRE(*decode_queue_address(encode(address)) == address);
    auto number = from.number();
    REQUIRE(*decode_number(encode_number(number)) == number);
    auto timer = from.timer();
    auto timer2 = decode_timer(encode(timer));
    REQUIRE(timer2);
    REQUIRE(timer2->payload.view == timer.payload.view);
    REQUIRE(encode(*timer2) == encode(timer));
  }
}

TEST_CASE("a row of a newer version is refused as newer, not as damaged") {
  for (auto bytes : {encode(samples::cursor()), encode_number(1)}) {
    bytes[0] = 2;
    REQUIRE(decode_cursor(bytes).reason().code == errc::format_newer);
  }
  auto bytes = encode_append_row(samples::append_of_three(), 1, 1);
  bytes[0] = 2;
  auto shared = std::make_shared<const std::string>(bytes);
  REQUIRE(append_block::parse(shared, 0).reason().code == errc::format_newer);
}

TEST_CASE("a row that is cut or longer than its fields is damaged") {
  auto bytes = encode(samples::queue());
  for (size_t size = 0; size < bytes.size(); ++size)
    REQUIRE(decode_queue(bytes.substr(0, size)).reason().code == errc::damaged);
  REQUIRE(decode_queue(bytes + '\0').reason().code == errc::damaged);
  bytes = encode_append_row(samples::append_of_three(), 1, 1);
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto cut = std::make_shared<const std::string>(bytes.substr(0, size));
    REQUIRE(append_block::parse(cut, 0).reason().code == errc::damaged);
  }
  auto longer = std::make_shared<const std::string>(bytes + '\0');
  REQUIRE(append_block::parse(longer, 0).reason().code == errc::damaged);
}

TEST_CASE("an append block gives back its messages, hashes and stamp") {
  samples::source from{11};
  for (int round = 0; round < 300; ++round) {
    auto what = from.messages(1 + from.below(20));
    // A given id that is the message id's text is the same as a minted one.
    if (from.flag())
      what.messages[0].transaction_id = to_string(what.messages[0].message_id);
    time_us at = from.time();
    uint64_t index = from.number();
    offset_t first = from.number() >> 1;
    auto block = parse(encode_append_row(what, at, index), first);
    REQUIRE(block->first() == first);
    REQUIRE(block->count() == what.messages.size());
    REQUIRE(block->end() == first + what.messages.size());
    REQUIRE(block->created_at() == at);
    REQUIRE(block->index() == index);
    for (uint32_t i = 0; i < block->count(); ++i) {
      const auto& message = what.messages[i];
      auto txid = message.transaction_id.empty() ? to_string(message.message_id)
                                                 : message.transaction_id;
      REQUIRE(block->transaction_id(i) == txid);
      REQUIRE(block->hash(i) == id_hash(txid));
      auto view = append_block::view(block, i);
      REQUIRE(view.offset == first + i);
      REQUIRE(view.message_id == message.message_id);
      REQUIRE(view.transaction_id == txid);
      REQUIRE(view.trace_id == message.trace_id);
      REQUIRE(view.payload == message.payload.view);
      REQUIRE(view.producer_sub == message.producer_sub);
      REQUIRE(view.created_at == at);
    }
  }
}

TEST_CASE("a message view outlives the block that it came from") {
  auto block = parse(encode_append_row(samples::append_of_three(), 1, 1), 0);
  auto view = append_block::view(block, 0);
  block.reset();
  REQUIRE(view.transaction_id == to_string(samples::id(5)));
  REQUIRE(view.payload == "null");
}

TEST_CASE("a minted id costs a row no text") {
  append with, without;
  for (uint8_t i = 0; i < 100; ++i) {
    stored_message message;
    message.message_id = samples::id(i);
    without.messages.push_back(message);
    message.transaction_id = to_string(message.message_id);
    with.messages.push_back(message);
  }
  REQUIRE(encode_append_row(with, 1, 1) == encode_append_row(without, 1, 1));
}

TEST_CASE("damaged rows never crash a decoder") {
  samples::source from{12};
  for (int i = 0; i < 20000; ++i) {
    decode_all(from.damage(any_row(from)));
    decode_all(from.text(100));
  }
}

TEST_CASE("a damaged count reserves no memory that the row does not back") {
  std::string bytes = encode_append_row(samples::append_of_three(), 1, 1);
  for (size_t i = 17; i < 21; ++i)
    bytes[i] = static_cast<char>(0xff);
  auto shared = std::make_shared<const std::string>(bytes);
  REQUIRE(append_block::parse(shared, 0).reason().code == errc::damaged);
}
