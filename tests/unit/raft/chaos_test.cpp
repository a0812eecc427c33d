// The safety properties of figure 3.2 over many seeds. The cluster itself
// checks that a term has one leader and that an index commits one entry.

#include "cluster.hpp"

using namespace queen::raft;
using namespace queen::raft::testing;

namespace {

/// How many entries were committed while things went wrong.
size_t converges(size_t size, uint64_t seed) {
  INFO("size " << size << ", seed " << seed);
  cluster c(size, seed);
  c.start_all();
  c.chaos(3000);
  auto amid = c.committed.size();
  c.heal();
  for (node_id id = 1; id <= size; ++id)
    if (!c.up(id))
      c.start(id);
  c.settle();
  c.run(100);
  auto l = c.leader();
  REQUIRE(l != 0);
  REQUIRE(c.raft(l).propose(bytes("last")));
  c.take(l);
  c.run(10);
  for (node_id id = 1; id <= size; ++id) {
    auto& applied = c.at(id).applied;
    REQUIRE(applied.size() == c.committed.size());
    CHECK(*applied.back().payload == "last");
  }
  return amid;
}

} // namespace

TEST_CASE("through losses, doubles, reorders and crashes that lose unsynced "
          "writes, no term has two leaders, nothing committed is lost, and the "
          "logs agree in the end") {
  size_t amid = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed)
    amid += converges(3, seed);
  for (uint64_t seed = 1; seed <= 100; ++seed)
    amid += converges(5, seed);
  CHECK(amid > 2000); // else nothing above was put to the test
}
