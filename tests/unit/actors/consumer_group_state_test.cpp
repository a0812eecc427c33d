// Which pop gets which partition, and when (spec/messages.md, Pop, Long poll).

#include "actors/consumer_group/consumer_group_state.hpp"
#include "tests/unit/actors/committed.hpp"

using namespace queen;
using namespace queen::domain;
using namespace queen::actors;
using queen::test::second;

namespace {

constexpr time_us start = 1000 * second;

struct group {
  consumer_group_state state;
  time_us now = start;

  group() {
    state.start_scan();
    state.nothing_stored();
  }
  // A readable line an action.
  std::vector<std::string> next() {
    std::vector<std::string> out;
    for (auto& action : state.next(now))
      out.push_back(std::visit([](auto& a) { return line(a); }, action));
    return out;
  }
  void open(ticket_id ticket, bool wait = false, uint32_t batch = 10,
            uint32_t partitions = 1,
            std::optional<partition_id> only = std::nullopt) {
    pop_limits limits;
    limits.batch = batch;
    limits.partitions = partitions;
    limits.wait = wait;
    limits.deadline = now + 30 * second;
    limits.only = only;
    state.open(ticket, limits);
  }
  void granted(ticket_id ticket, partition_id partition, uint32_t messages) {
    claim_outcome out;
    out.granted = true;
    out.messages = messages;
    state.claimed(ticket, partition, out, now);
  }
  void declined(ticket_id ticket, partition_id partition, time_us again_at = 0,
                bool busy = false) {
    claim_outcome out;
    out.again_at = again_at;
    out.busy = busy;
    state.claimed(ticket, partition, out, now);
  }
  void cursor(partition_id partition, offset_t at, time_us leased_until = 0) {
    cursor_record row;
    row.cursor = at;
    if (leased_until) {
      row.lease_id = queen::test::uuid_of(1);
      row.batch_start = at;
      row.batch_end = at + 1;
      row.expires_at = leased_until;
    }
    state.cursor_moved(partition, row, now);
  }

  static std::string line(const start_claim& a) {
    return std::to_string(a.ticket) + " claims " + std::to_string(a.partition) +
           " for " + std::to_string(a.batch);
  }
  static std::string line(const commit_claims& a) {
    return std::to_string(a.ticket) + " commits";
  }
  static std::string line(const answer_empty& a) {
    return std::to_string(a.ticket) + " is empty";
  }
  static std::string line(const scan_partitions& a) {
    return "scan from " + std::to_string(a.from);
  }
};

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("pop: nothing to deliver is empty at once, or parks until its end") {
  group g;
  g.open(1);
  CHECK(g.next() == lines{"1 is empty"});
  g.open(2, true);
  CHECK(g.next().empty());
  // No claim is made in the last moments before its deadline.
  CHECK(g.state.next_wakeup() > start + 29 * second);
  CHECK(g.state.next_wakeup() <= start + 30 * second);
  g.now += 30 * second;
  CHECK(g.next() == lines{"2 is empty"});
}

TEST_CASE("pop: the partition that has been claimable longest comes first") {
  group g;
  g.state.appended(7, 1, start - 2);
  g.state.appended(3, 1, start - 1);
  g.state.appended(7, 2, start);
  g.open(1);
  CHECK(g.next() == lines{"1 claims 7 for 10"});
  g.open(2);
  CHECK(g.next() == lines{"2 claims 3 for 10"});
}

TEST_CASE("pop: a push wakes as many waiters as it can feed, oldest first") {
  group g;
  for (ticket_id t : {1, 2, 3})
    g.open(t, true);
  CHECK(g.next().empty());
  g.state.appended(5, 1, g.now);
  CHECK(g.next() == lines{"1 claims 5 for 10"});
  g.state.appended(6, 1, g.now);
  CHECK(g.next() == lines{"2 claims 6 for 10"});
  CHECK(g.state.parked() == 3);
}

TEST_CASE("pop: one budget over several partitions, then one commit") {
  group g;
  for (partition_id p : {1, 2, 3})
    g.state.appended(p, 5, start - 10 + static_cast<time_us>(p));
  g.open(1, false, 8, 2);
  CHECK(g.next() == lines{"1 claims 1 for 8"});
  g.granted(1, 1, 5);
  CHECK(g.next() == lines{"1 claims 2 for 3"});
  g.granted(1, 2, 3);
  CHECK(g.next() == lines{"1 commits"});
}

TEST_CASE("pop: what is declined is asked for again when its time comes") {
  group g;
  g.state.appended(1, 1, g.now);
  g.open(1, true);
  CHECK(g.next() == lines{"1 claims 1 for 10"});
  g.declined(1, 1, start + 5 * second); // leased, or delayed
  CHECK(g.next().empty());
  CHECK(g.state.next_wakeup() == start + 5 * second);
  g.now += 5 * second;
  CHECK(g.next() == lines{"1 claims 1 for 10"});
}

TEST_CASE("pop: a lease that ends early frees its partition") {
  group g;
  g.state.appended(1, 2, g.now);
  g.cursor(1, 0, start + 60 * second);
  g.open(1, true);
  CHECK(g.next().empty());
  g.cursor(1, 1); // acked in part, and released
  CHECK(g.next() == lines{"1 claims 1 for 10"});
}

TEST_CASE("pop: a partition that is done wakes nobody") {
  group g;
  g.state.appended(1, 2, g.now);
  g.cursor(1, 2);
  g.open(1);
  CHECK(g.next() == lines{"1 is empty"});
}

TEST_CASE("pop: what is pushed during a claim is not forgotten") {
  group g;
  g.state.appended(1, 1, g.now);
  g.open(1);
  CHECK(g.next() == lines{"1 claims 1 for 10"});
  g.state.appended(1, 2, g.now);
  g.declined(1, 1); // it had looked before the push
  CHECK(g.next() == lines{"1 claims 1 for 10"});
}

TEST_CASE("pop: one partition only") {
  group g;
  g.state.appended(1, 1, g.now);
  g.open(1, false, 10, 1, partition_id{2});
  // It may have what nobody has told of yet: the lease knows.
  auto first = g.next();
  if (first == lines{"1 claims 2 for 10"}) {
    g.declined(1, 2);
    first = g.next();
  }
  CHECK(first == lines{"1 is empty"});
  g.open(2, true, 10, 1, partition_id{2});
  for (auto& l : g.next()) {
    CHECK(l == "2 claims 2 for 10");
    g.declined(2, 2);
  }
  CHECK(g.next().empty());
  g.state.appended(2, 1, g.now);
  CHECK(g.next() == lines{"2 claims 2 for 10"});
}

TEST_CASE("pop: a client that goes while parked leaves nothing behind") {
  group g;
  g.open(1, true);
  CHECK(g.next().empty());
  CHECK(g.state.cancel(1));
  CHECK(g.state.idle());
  // With a claim out it must be handed back first.
  g.state.appended(1, 1, g.now);
  g.open(2);
  CHECK(g.next() == lines{"2 claims 1 for 10"});
  CHECK_FALSE(g.state.cancel(2));
}

TEST_CASE("pop: partitions of the store are looked for before it is empty") {
  consumer_group_state state;
  state.start_scan();
  pop_limits limits;
  limits.batch = 10;
  state.open(1, limits);
  auto actions = state.next(start);
  REQUIRE(actions.size() == 1);
  CHECK(std::get<scan_partitions>(actions[0]).from == 0);
  CHECK(state.next(start).empty()); // one scan at a time
  state.scanned(4, 0, 3, start - second, nullptr, start);
  cursor_record done;
  done.cursor = 2;
  state.scanned(5, 0, 2, start - second, &done, start);
  state.scan_ended(6, true);
  actions = state.next(start);
  REQUIRE(actions.size() == 1);
  CHECK(std::get<start_claim>(actions[0]).partition == 4);
}

TEST_CASE("pop: a deleted queue leaves no candidate") {
  group g;
  g.state.appended(1, 1, g.now);
  g.state.forget_all();
  g.open(1);
  CHECK(g.next() == lines{"1 is empty"});
  CHECK(g.state.candidates() == 0);
}
