// Quorum, progress and the entry log, each alone.

#include "cluster.hpp"

#include "raft/quorum.hpp"

using namespace queen::raft;
using namespace queen::raft::testing;

TEST_CASE("two majorities of a group always overlap") {
  CHECK(majority(1) == 1);
  CHECK(majority(2) == 2);
  CHECK(majority(3) == 2);
  CHECK(majority(4) == 3);
  CHECK(majority(5) == 3);
}

TEST_CASE("what a majority has reached is the median, rounded down") {
  CHECK(reached_by_majority({4}) == 4);
  CHECK(reached_by_majority({4, 2}) == 2);
  CHECK(reached_by_majority({1, 9, 5}) == 5);
  CHECK(reached_by_majority({1, 9, 5, 7}) == 5);
  CHECK(reached_by_majority({1, 9, 5, 7, 8}) == 7);
}

TEST_CASE("a probe waits for its answer or the next heartbeat") {
  progress p(5);
  CHECK(p.may_send(2));
  p.sent(5);
  CHECK_FALSE(p.may_send(2));
  p.allow_probe();
  CHECK(p.may_send(2));
}

TEST_CASE(
  "a follower that accepted is sent to without waiting, to the window") {
  progress p(5);
  p.sent(5);
  p.accepted(5);
  CHECK(p.next() == 6);
  p.sent(7);
  CHECK(p.next() == 8);
  p.sent(9);
  CHECK_FALSE(p.may_send(2));
  p.accepted(7);
  CHECK(p.may_send(2));
}

TEST_CASE("a refusal goes back to probing, never below what matches") {
  progress p(5);
  p.accepted(4);
  p.sent(9);
  CHECK(p.refused(9, 2));
  CHECK_FALSE(p.replicating());
  CHECK(p.next() == 5);
}

TEST_CASE("a refusal of an older message changes nothing") {
  progress p(9);
  CHECK_FALSE(p.refused(5, 2)); // a probe of another place
  CHECK(p.next() == 9);
  p.accepted(8);
  CHECK_FALSE(p.refused(7, 2)); // matches since
  CHECK(p.replicating());
}

TEST_CASE("a log knows the term of its snapshot's last entry") {
  entry_log log(4, 2, {command(3, 5), command(3, 6)});
  CHECK(log.first() == 5);
  CHECK(log.last() == 6);
  CHECK(log.term_at(4) == 2);
  CHECK(log.term_at(3) == 0);
  CHECK(log.term_at(7) == 0);
  log.compact(5);
  CHECK(log.term_at(5) == 3);
  CHECK(log.first() == 6);
  log.truncate(5);
  CHECK(log.last() == 5);
  CHECK(log.last_term() == 3);
}
