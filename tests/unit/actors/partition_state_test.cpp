// The rules of spec/messages.md, Push, Dedup and the delays of Queues.

#include "actors/partition/partition_state.hpp"
#include "tests/unit/actors/committed.hpp"

using namespace queen;
using namespace queen::domain;
using queen::actors::partition_state;
using queen::test::committed;
using queen::test::second;

namespace {

constexpr time_us start = 100000 * second;
const uuid tenant = queen::test::uuid_of(1);

struct partition {
  committed log;
  actors::stored_blocks stored{log.store(), 1, 1};
  std::unique_ptr<partition_state> state;
  queue_options options;
  time_us now = start;
  uint8_t minted = 0;

  explicit partition(size_t tail_bytes_max = 1 << 20) {
    queue_record queue;
    queue.id = 1;
    queue.tenant = tenant;
    queue.name = "q";
    log.apply({put_queue{queue, false}}, now);
    state = std::make_unique<partition_state>(
      actors::partition_subject{1, 1, "q", "p", false}, stored, tail_bytes_max);
  }
  // As after passivation: nothing but what is stored.
  void load() {
    state = std::make_unique<partition_state>(
      actors::partition_subject{1, 1, "q", "p", true}, stored);
  }
  // "" is a message without an id.
  partition_state::verdict judge(const std::vector<std::string>& ids,
                                 call_kind kind = call_kind::push) {
    transaction call;
    call.tenant = tenant;
    call.kind = kind;
    for (auto& id : ids) {
      push_item item;
      item.queue = "q";
      item.partition = "p";
      item.message_id = queen::test::uuid_of(++minted);
      item.minted = id.empty();
      item.transaction_id = id;
      item.payload = slice::own("{\"n\":" + std::to_string(minted) + "}");
      call.pushes.push_back(std::move(item));
    }
    return state->judge(call, queen::test::all_of(ids.size()), options, now);
  }
  partition_state::verdict push(const std::vector<std::string>& ids,
                                call_kind kind = call_kind::push) {
    auto out = judge(ids, kind);
    if (!out.effects.empty())
      state->applied(log.apply(out.effects, now));
    return out;
  }
  actors::batch_read read(offset_t from, uint32_t messages,
                          bool newest_only = false) {
    actors::read_batch what;
    what.from = from;
    what.messages = messages;
    what.newest_only = newest_only;
    what.options = options;
    what.now = now;
    return state->read(what);
  }
};

std::vector<std::string> ids_of(const actors::batch_read& got) {
  std::vector<std::string> out;
  for (auto& block : got.blocks)
    for (uint32_t i = 0; i < block->count(); ++i)
      out.emplace_back(block->transaction_id(i));
  return out;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("push: the first one creates the partition in its own entry") {
  partition p;
  auto got = p.push({"a"});
  REQUIRE(got.effects.size() == 2);
  CHECK(std::holds_alternative<ensure_partition>(got.effects[0]));
  CHECK(p.push({"b"}).effects.size() == 1);
  CHECK(p.state->next() == 2);
}

TEST_CASE(
  "push: an id in the window is a duplicate with the original's place") {
  partition p;
  auto first = p.push({"x", "a"});
  auto again = p.push({"b", "a"});
  CHECK_FALSE(again.pushes[0].duplicate);
  CHECK(again.pushes[1].duplicate);
  CHECK(again.pushes[1].offset == 1);
  CHECK(again.pushes[1].message_id == first.pushes[1].message_id);
  CHECK(p.state->next() == 3);
  // All of a call are duplicates: nothing to log.
  CHECK(p.push({"a"}).effects.empty());
}

TEST_CASE("push: on the transaction route a duplicate refuses the call") {
  partition p;
  p.push({"a"});
  auto got = p.judge({"new", "a"}, call_kind::transaction);
  CHECK(got.reason == refusal::duplicate);
  CHECK(got.error.rfind("QDUP", 0) == 0);
  for (auto part : {"'a'", "'q'", "'p'", "offset 0"})
    CHECK(got.error.find(part) != std::string::npos);
  CHECK(got.effects.empty());
}

TEST_CASE("push: within a call the first of an id wins") {
  partition p;
  auto got = p.push({"a", "a", "b"}, call_kind::transaction);
  CHECK(got.reason == refusal::none);
  CHECK(got.pushes[1].duplicate);
  CHECK(got.pushes[1].in_call);
  CHECK(got.pushes[1].message_id == got.pushes[0].message_id);
  CHECK(got.pushes[2].ordinal == 1);
  CHECK(p.state->next() == 2);
}

TEST_CASE("push: the window ends to the microsecond, 0 is none") {
  partition p;
  p.options.dedup_window_seconds = 10;
  p.push({"a"});
  p.now += 10 * second - 1;
  CHECK(p.judge({"a"}).pushes[0].duplicate);
  p.now += 1;
  CHECK_FALSE(p.judge({"a"}).pushes[0].duplicate);
  partition off;
  off.options.dedup_window_seconds = 0;
  off.push({"a"});
  CHECK_FALSE(off.judge({"a"}).pushes[0].duplicate);
}

TEST_CASE("push: a partition that is loaded anew remembers its window") {
  partition p;
  for (int i = 0; i < 50; ++i)
    p.push({"id" + std::to_string(i)});
  p.load();
  auto got = p.judge({"id0", "id49", "id50"});
  CHECK(got.pushes[0].duplicate);
  CHECK(got.pushes[0].offset == 0);
  CHECK(got.pushes[1].offset == 49);
  CHECK_FALSE(got.pushes[2].duplicate);
}

TEST_CASE("push: a window made longer looks back further") {
  partition p;
  p.options.dedup_window_seconds = 10;
  p.push({"old"});
  p.now += 20 * second;
  CHECK_FALSE(p.judge({"old"}).pushes[0].duplicate);
  p.options.dedup_window_seconds = 3600;
  CHECK(p.judge({"old"}).pushes[0].duplicate);
}

TEST_CASE("push: only ids that a client gave are reserved") {
  transaction call;
  call.pushes.resize(2);
  call.pushes[0].minted = true;
  call.pushes[1].transaction_id = "a";
  CHECK(partition_state::reserves(call, {0, 1}).size() == 1);
}

TEST_CASE("read: from memory, from the store, and over the border") {
  partition p{1}; // a tail of one block
  for (auto id : {"a", "b", "c", "d"})
    p.push({id});
  CHECK(ids_of(p.read(0, 10)) == names{"a", "b", "c", "d"});
  CHECK(ids_of(p.read(3, 10)) == names{"d"});
  CHECK(ids_of(p.read(1, 2)) == names{"b", "c"});
  CHECK(p.read(4, 10).blocks.empty());
  CHECK(ids_of(p.read(0, 10, true)) == names{"d"}); // conflation
}

TEST_CASE("read: batches that go on inside a stored block get all of it") {
  partition p;
  names all;
  for (int i = 0; i < 100; ++i)
    all.push_back("m" + std::to_string(i));
  p.push(all);
  p.push({"last"});
  p.load();
  // Two groups at different places in the same block, and back again.
  for (offset_t at = 0; at < 100; at += 7) {
    for (auto from : {at, at / 2}) {
      auto got = p.read(from, 7);
      REQUIRE_FALSE(got.blocks.empty());
      CHECK(got.blocks.front()->first() <= from);
      CHECK(got.blocks.back()->end() >= std::min<offset_t>(from + 7, 101));
    }
  }
  CHECK(ids_of(p.read(100, 7)) == names{"last"});
}

TEST_CASE("read: delayedProcessing holds back what is young") {
  partition p;
  p.options.delayed_processing = 10;
  p.push({"a"});
  p.now += 6 * second;
  p.push({"b"});
  auto got = p.read(0, 10);
  CHECK(got.deliverable_end == 0);
  CHECK(got.again_at == start + 10 * second);
  p.now = start + 10 * second;
  got = p.read(0, 10);
  CHECK(got.deliverable_end == 1);
  CHECK(got.again_at == start + 16 * second);
}

TEST_CASE("read: windowBuffer waits until the partition is quiet") {
  partition p;
  p.options.window_buffer = 5;
  p.push({"a"});
  p.now += 4 * second;
  p.push({"b"});
  p.now += 4 * second;
  CHECK(p.read(0, 10).deliverable_end == 0);
  CHECK(p.read(0, 10).again_at == start + 9 * second);
  p.now += 1 * second;
  CHECK(p.read(0, 10).deliverable_end == 2);
}
