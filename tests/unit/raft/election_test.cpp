// Elections: thesis, chapters 3.4, 3.6.1, 3.10, 4.2.3, 6.2 and 9.6.

#include "cluster.hpp"

using namespace queen::raft;
using namespace queen::raft::testing;

TEST_CASE("three nodes elect one leader, and the others follow it") {
  cluster c(3);
  c.start_all();
  c.run(60);
  auto l = c.leader();
  REQUIRE(l != 0);
  for (node_id id : {1, 2, 3}) {
    CHECK(c.raft(id).leader() == l);
    CHECK(c.raft(id).term() == c.raft(l).term());
    CHECK(c.raft(id).is_leader() == (id == l));
  }
  CHECK(c.raft(l).leads());
}

TEST_CASE("a leader that lives is not replaced") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto term = c.raft(1).term();
  c.run(200);
  CHECK(c.leader() == 1);
  CHECK(c.raft(1).term() == term);
}

TEST_CASE(
  "a killed leader is replaced within four election timeouts, one split "
  "vote included") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    cluster c(3, seed);
    c.start_all();
    c.elect(1);
    c.crash(1);
    size_t ticks = 0;
    for (; c.leader() == 0 && ticks < 100; ++ticks)
      c.run(1);
    CHECK(ticks <= 40);
  }
}

TEST_CASE("a split vote ends: timeouts are drawn anew") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    cluster c(4, seed);
    c.start_all();
    for (node_id id : {1, 2, 3, 4})
      c.expire(id);
    c.settle();
    c.run(100);
    CHECK(c.leader() != 0);
  }
}

TEST_CASE("without a majority nobody leads, and the term stands still") {
  cluster c(3);
  c.start_all();
  c.crash(2);
  c.crash(3);
  c.run(200);
  CHECK(c.leader() == 0);
  CHECK(c.raft(1).term() == 0);
}

TEST_CASE("a vote leaves only after it is durable") {
  cluster c(3);
  c.start_all();
  auto& r = c.raft(2);
  r.step({1, 2, vote_request{1, 0, 0, false, false}});
  auto out = r.take_output();
  REQUIRE(out.state);
  CHECK(*out.state == hard_state{1, 1});
  CHECK(out.appends.empty());
  REQUIRE(out.messages.size() == 1);
  CHECK(std::get<vote_answer>(out.messages[0].what).granted);
}

TEST_CASE("a restarted node remembers its vote, and gives no second one") {
  cluster c(3);
  c.remember(2, {1, 1}, {});
  c.start_all();
  c.raft(2).step({3, 2, vote_request{1, 0, 0, false, false}});
  auto no = c.raft(2).take_output();
  CHECK_FALSE(std::get<vote_answer>(no.messages.at(0).what).granted);
  c.raft(2).step({1, 2, vote_request{1, 0, 0, false, false}});
  auto yes = c.raft(2).take_output();
  CHECK(std::get<vote_answer>(yes.messages.at(0).what).granted);
}

TEST_CASE("no vote for a log that is behind: a lower last term, or as high and "
          "shorter") {
  cluster c(3);
  c.remember(2, {3, 0}, log_of({1, 2, 2}));
  c.start_all();
  auto asks = [&](index_t index, term_t term) {
    c.start(2);
    c.raft(2).step({1, 2, vote_request{4, index, term, false, false}});
    auto out = c.raft(2).take_output();
    return std::get<vote_answer>(out.messages.at(0).what).granted;
  };
  CHECK_FALSE(asks(9, 1));
  CHECK_FALSE(asks(2, 2));
  CHECK(asks(3, 2));
  CHECK(asks(1, 3));
}

TEST_CASE("a trial changes neither term nor vote of anybody") {
  cluster c(3);
  c.start_all();
  c.raft(2).step({1, 2, vote_request{1, 0, 0, true, false}});
  auto out = c.raft(2).take_output();
  CHECK_FALSE(out.state);
  CHECK(std::get<vote_answer>(out.messages.at(0).what).granted);
  CHECK(c.raft(2).term() == 0);
}

TEST_CASE("a node that was cut off comes back and disturbs nobody") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto term = c.raft(1).term();
  c.cut(3);
  c.run(200);
  CHECK(c.raft(3).term() == term);
  c.heal();
  c.run(50);
  CHECK(c.leader() == 1);
  CHECK(c.raft(1).term() == term);
  CHECK(c.raft(3).leader() == 1);
}

TEST_CASE("who hears a leader ignores a higher term's request for votes") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto term = c.raft(2).term();
  c.raft(2).step({3, 2, vote_request{term + 5, 9, term + 4, false, false}});
  CHECK(c.raft(2).term() == term);
  CHECK(c.raft(2).take_output().messages.empty());
}

TEST_CASE("a leader that a quorum does not answer steps down") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.cut(1);
  REQUIRE(c.raft(1).read(1));
  for (int i = 0; i < 20 && c.raft(1).is_leader(); ++i)
    c.tick(1);
  CHECK_FALSE(c.raft(1).is_leader());
  CHECK_FALSE(c.raft(1).propose(bytes("a")));
  c.take(1);
  REQUIRE(c.at(1).reads.size() == 1);
  CHECK_FALSE(c.at(1).reads[0].after);
}

TEST_CASE("a leader hands over at once, to one that has its whole log") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  auto index = c.raft(1).propose(bytes("a"));
  REQUIRE(c.raft(1).transfer(3));
  CHECK_FALSE(c.raft(1).propose(bytes("refused")));
  c.take(1);
  c.settle(); // no time passes
  CHECK(c.leader() == 3);
  CHECK(c.raft(1).role() == role::follower);
  CHECK(c.raft(3).commit_index() == *index + 1);
}

TEST_CASE("a hand-over to one that does not answer is given up") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  c.crash(3);
  REQUIRE(c.raft(1).transfer(3));
  c.run(11);
  CHECK(c.leader() == 1);
  CHECK(c.raft(1).propose(bytes("a")));
}

TEST_CASE("only to another voter can a leader hand over") {
  cluster c(3);
  c.start_all();
  c.elect(1);
  CHECK_FALSE(c.raft(1).transfer(1));
  CHECK_FALSE(c.raft(1).transfer(9));
  CHECK_FALSE(c.raft(2).transfer(3));
}
