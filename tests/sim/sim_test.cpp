// Seeds of the pipeline with crashes. A failure prints its seed:
// QUEEN_TEST_SEED=N runs that one alone, QUEEN_TEST_SEEDS=N as many fresh ones.

#include "tests/sim/pipeline.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>

using namespace queen::sim;

namespace {

uint64_t number(const char* name, uint64_t usual) {
  auto given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : usual;
}

struct outcome {
  uint64_t steps = 0, trace = 0;
  int64_t virtual_us = 0;
};

outcome run(uint64_t seed, bool crashes) {
  constexpr uint64_t steps_max = 3'000'000;
  world node{{seed}};
  pipeline clients{node, {}};
  clients.start();
  INFO("QUEEN_TEST_SEED=" << seed);
  uint64_t next_crash = crashes ? 2000 + node.random_below(6000) : UINT64_MAX;
  int left = crashes ? 12 : 0;
  while (!clients.done()) {
    REQUIRE(node.step());
    REQUIRE(node.steps() < steps_max);
    if (node.steps() >= next_crash && left > 0) {
      node.crash();
      --left;
      next_crash = node.steps() + 500 + node.random_below(6000);
    }
  }
  clients.check([&](const std::string& what) { FAIL_CHECK(what); });
  return {node.steps(), node.trace(), node.now_us()};
}

} // namespace

TEST_CASE("a pipeline on a node that does not die") {
  for (uint64_t seed : {1, 2, 3})
    run(seed, false);
}

TEST_CASE("the same seed is the same run, another seed another one") {
  auto first = run(7, true);
  auto again = run(7, true);
  CHECK(first.trace == again.trace);
  CHECK(first.steps == again.steps);
  CHECK(first.virtual_us == again.virtual_us);
  CHECK(run(8, true).trace != first.trace);
}

TEST_CASE("a pipeline on a node that dies again and again") {
  if (auto only = number("QUEEN_TEST_SEED", 0)) {
    run(only, true);
    return;
  }
  for (uint64_t seed = 1; seed <= 20; ++seed)
    run(seed, true);
  std::random_device fresh;
  for (uint64_t n = number("QUEEN_TEST_SEEDS", 5); n-- > 0;)
    run(fresh(), true);
}
