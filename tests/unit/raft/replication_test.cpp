// Replication and commitment: thesis, chapters 3.5, 3.6.2, 6.4 and 10.2.1.

#include "cluster.hpp"

using namespace queen::raft;
using namespace queen::raft::testing;

TEST_CASE(
  "an entry that a majority holds is committed and applied everywhere") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.crash(3);
  auto index = c.raft(1).propose(bytes("a"));
  REQUIRE(index);
  c.take(1);
  c.run(3);
  for (node_id id : {1, 2})
    CHECK(*c.at(id).applied.at(*index - 1).payload == "a");
  c.start(3);
  c.run(5);
  CHECK(*c.at(3).applied.at(*index - 1).payload == "a");
}

TEST_CASE("a leader sends before its own copy is durable, and counts followers "
          "only") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto index = c.raft(1).propose(bytes("a"));
  c.take(1); // and its disk stands still
  while (!c.net.empty() || !c.at(2).writing.empty() ||
         !c.at(3).writing.empty()) {
    for (node_id id : {2, 3})
      while (!c.at(id).writing.empty())
        c.sync(id);
    if (!c.net.empty())
      c.deliver(0);
  }
  CHECK(c.at(1).disk.size() < *index);
  CHECK(c.raft(1).commit_index() == *index);
}

TEST_CASE("an entry that no majority holds is not committed") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.crash(2);
  c.crash(3);
  auto index = c.raft(1).propose(bytes("a"));
  c.take(1);
  c.settle();
  CHECK(c.raft(1).commit_index() == *index - 1);
}

// The logs of figure 3.6, (a) to (f) below the leader of term 8.
TEST_CASE("followers' logs of every shape are made the leader's") {
  std::vector<std::vector<term_t>> shapes{{1, 1, 1, 4, 4, 5, 5, 6, 6},
                                          {1, 1, 1, 4},
                                          {1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6},
                                          {1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7},
                                          {1, 1, 1, 4, 4, 4, 4},
                                          {1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3}};
  for (auto& shape : shapes) {
    cluster c(3);
    c.remember(1, {7, 0}, log_of({1, 1, 1, 4, 4, 5, 5, 6, 6, 6}));
    c.remember(2, {7, 0}, log_of({1, 1, 1, 4, 4, 5, 5, 6, 6, 6}));
    c.remember(3, {7, 0}, log_of(shape));
    c.start_all();
    c.cut(3);
    c.elect(1);
    c.heal();
    c.run(10);
    REQUIRE(c.leader() == 1);
    REQUIRE(c.at(3).disk.size() == 11);
    for (size_t i = 0; i < 11; ++i)
      CHECK(c.at(3).disk[i].term == c.at(1).disk[i].term);
    CHECK(c.at(3).applied.size() == 11);
  }
}

TEST_CASE("a long wrong tail costs one refusal a term, not one an entry") {
  cluster c(3);
  std::vector<term_t> good(1, 1), wrong(1, 1);
  good.insert(good.end(), 300, 3);
  wrong.insert(wrong.end(), 300, 2);
  c.remember(1, {3, 0}, log_of(good));
  c.remember(2, {3, 0}, log_of(good));
  c.remember(3, {3, 0}, log_of(wrong));
  c.start_all();
  c.cut(3);
  c.elect(1);
  c.heal();
  size_t refused = 0;
  for (int i = 0; i < 3; ++i)
    c.tick(1);
  for (int bound = 0; bound < 10000; ++bound) {
    for (node_id id : {1, 2, 3})
      while (!c.at(id).writing.empty())
        c.sync(id);
    if (c.net.empty())
      break;
    if (auto a = std::get_if<append_answer>(&c.net[0].what))
      refused += a->accepted ? 0 : 1;
    c.deliver(0);
  }
  CHECK(refused >= 1);
  CHECK(refused <= 3);
  CHECK(c.at(3).disk.size() == 302);
  CHECK(c.at(3).disk.back().term == c.raft(1).term());
}

// Figure 3.7: an entry of term 2 that a majority holds may still be replaced.
TEST_CASE("a leader commits no entry of an older term by counting copies") {
  cluster c(5);
  c.remember(1, {3, 0}, log_of({1, 2}));
  c.remember(2, {3, 0}, log_of({1, 2}));
  c.remember(3, {3, 0}, log_of({1}));
  c.remember(4, {3, 0}, log_of({1}));
  c.remember(5, {3, 0}, log_of({1}));
  c.start_all();
  auto& r = c.raft(1);
  c.expire(1);
  for (int round = 0; round < 2; ++round)
    for (node_id id : {2, 3})
      r.step({id, 1, vote_answer{4, true, round == 0}});
  REQUIRE(r.is_leader());
  REQUIRE(r.term() == 4);
  for (node_id id : {2, 3})
    r.step({id, 1, append_answer{4, true, 2, 1, 0}});
  CHECK(r.commit_index() == 0);
  r.persisted(4, 3);
  for (node_id id : {2, 3}) // and its own entry takes the older ones along
    r.step({id, 1, append_answer{4, true, 3, 2, 0}});
  CHECK(r.commit_index() == 3);
}

TEST_CASE("a message that comes twice or late changes nothing") {
  cluster c(3);
  c.remember(2, {1, 0}, {});
  c.start(2);
  auto& r = c.raft(2);
  append_request both{1, 0, 0, 0, 0, {command(1, 1), command(1, 2)}};
  append_request first{1, 0, 0, 0, 0, {command(1, 1)}};
  r.step({1, 2, both});
  CHECK(r.take_output().entries.size() == 2);
  r.step({1, 2, first});
  r.step({1, 2, both});
  CHECK(r.last_index() == 2);
  CHECK(r.take_output().entries.empty());
}

TEST_CASE("a follower commits no further than what it knows to match") {
  cluster c(3);
  c.remember(2, {2, 0}, log_of({1, 1, 1}));
  c.start(2);
  c.raft(2).step({1, 2, append_request{2, 1, 1, 3, 0, {}}});
  CHECK(c.raft(2).commit_index() == 1);
}

TEST_CASE("no more messages are on their way than the window allows") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  for (int i = 0; i < 100; ++i)
    REQUIRE(c.raft(1).propose(bytes("a")));
  c.take(1);
  CHECK(c.net.size() == 6); // 3 to each of 2
  c.settle();
  CHECK(c.raft(1).commit_index() == 101);
}

TEST_CASE("a read is answered after a quorum was heard, at the commit index of "
          "when it came") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto commit = c.raft(1).commit_index();
  REQUIRE(c.raft(1).read(5));
  c.take(1);
  CHECK(c.at(1).reads.empty());
  c.settle();
  REQUIRE(c.at(1).reads.size() == 1);
  CHECK(c.at(1).reads[0].after == commit);
  CHECK(c.at(1).disk.size() == commit); // and nothing was written
}

TEST_CASE("a leader that was replaced without knowing answers no read") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.cut(1);
  c.elect(2);
  REQUIRE(c.leader() == 2);
  REQUIRE(c.raft(1).is_leader());
  REQUIRE(c.raft(1).read(5));
  c.take(1);
  c.settle();
  CHECK(c.at(1).reads.empty());
  c.heal();
  c.run(5);
  REQUIRE(c.at(1).reads.size() == 1);
  CHECK_FALSE(c.at(1).reads[0].after);
}

TEST_CASE("a leader compacts nothing that a follower lacks") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.crash(3);
  REQUIRE(c.raft(1).propose(bytes("a")));
  c.take(1);
  c.run(3);
  c.raft(1).compact(2);
  c.start(3);
  c.run(5);
  CHECK(c.at(3).applied.size() == 2);
}
