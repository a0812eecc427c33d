// A group of one: every setting's default, and the broker's hot path.

#include "cluster.hpp"

using namespace queen;
using namespace queen::raft;
using namespace queen::raft::testing;

TEST_CASE(
  "a group of one leads at once, in a new term that it persists first") {
  core c({}, {});
  CHECK(c.is_leader());
  CHECK(c.leader() == 1);
  auto out = c.take_output();
  REQUIRE(out.state);
  CHECK(*out.state == hard_state{1, 1});
  REQUIRE(out.entries.size() == 1);
  CHECK(out.entries[0].kind == entry_kind::noop);
  CHECK(out.entries[0].index == 1);
  CHECK(out.committed.empty());
  CHECK_FALSE(c.leads());
}

TEST_CASE("a group of one commits what is durable, and not before") {
  core c({}, {});
  (void)c.take_output();
  auto payload = bytes("a");
  auto index = c.propose(payload);
  REQUIRE(index);
  CHECK(*index == 2);
  auto out = c.take_output();
  CHECK_FALSE(out.state);
  REQUIRE(out.entries.size() == 1);
  CHECK(out.entries[0].payload == payload); // the same bytes, not a copy
  c.persisted(1, 1);
  out = c.take_output();
  REQUIRE(out.committed.size() == 1);
  CHECK(c.leads());
  c.persisted(1, 2);
  out = c.take_output();
  REQUIRE(out.committed.size() == 1);
  CHECK(out.committed[0].payload == payload);
  CHECK(out.entries.empty());
}

TEST_CASE("a group of one that restarts commits its old entries with its first "
          "own one") {
  core c({}, {{3, 1}, 0, 0, log_of({1, 1, 3})});
  auto out = c.take_output();
  CHECK(*out.state == hard_state{4, 1});
  CHECK(out.committed.empty());
  CHECK(out.entries.size() == 1);
  c.persisted(4, 4);
  out = c.take_output();
  CHECK(out.committed.size() == 4);
}

TEST_CASE("a restart after a snapshot hands over only what came after it") {
  core c({}, {{3, 1}, 2, 1, {command(3, 3)}});
  CHECK(c.handed_over() == 2);
  (void)c.take_output();
  c.persisted(4, 4);
  auto out = c.take_output();
  REQUIRE(out.committed.size() == 2);
  CHECK(out.committed[0].index == 3);
}

TEST_CASE("a compacted log goes on counting, and drops the payloads") {
  core c({}, {});
  auto payload = bytes("a");
  (void)c.propose(payload);
  (void)c.take_output();
  c.persisted(1, 2);
  (void)c.take_output();
  CHECK(payload.use_count() == 2);
  c.compact(2);
  CHECK(payload.use_count() == 1);
  CHECK(c.leads());
  auto index = c.propose(bytes("b"));
  REQUIRE(index);
  CHECK(*index == 3);
}

TEST_CASE("what is not handed over yet is not compacted") {
  core c({}, {});
  (void)c.propose(bytes("a"));
  (void)c.take_output();
  c.persisted(1, 2);
  c.compact(2);
  CHECK(c.take_output().committed.size() == 2);
}

TEST_CASE("a group of one reads at its commit index once that is current") {
  core c({}, {});
  REQUIRE(c.read(7));
  CHECK(c.take_output().reads.empty());
  c.persisted(1, 1);
  auto out = c.take_output();
  REQUIRE(out.reads.size() == 1);
  CHECK(out.reads[0].request == 7);
  CHECK(out.reads[0].after == index_t{1});
}

TEST_CASE("a hard state survives its encoding, and a damaged one is refused") {
  auto text = encode(hard_state{5, 3});
  auto back = decode_hard_state(text);
  REQUIRE(back);
  CHECK(*back == hard_state{5, 3});
  text.pop_back();
  auto torn = decode_hard_state(text);
  REQUIRE_FALSE(torn);
  CHECK(torn.reason().code == errc::damaged);
}
