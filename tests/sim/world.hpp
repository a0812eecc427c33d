// A whole node in one thread: the real actors under CAF's testing scheduler,
// a disk and a store in memory, virtual time. A seed chooses which ready actor
// runs next and what a crash leaves of the disk; the same seed is the same run.

#pragma once

#include "actors/node/node.hpp"
#include "persistence/memory_store.hpp"
#include "persistence/simulated_disk.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace queen::sim {

class world : private actors::environment {
public:
  struct options {
    uint64_t seed = 1;
    uint32_t groups = 1;
  };
  explicit world(options what);
  ~world();

  /// None: the node died first, so nobody knows what became of it.
  using answer = std::function<void(std::optional<domain::reply>)>;
  void ask(domain::command what, answer then);
  /// Runs `then` after a virtual time.
  void after(int64_t us, std::function<void()> then);

  /// Lets one actor handle one message, or, when none is ready, moves time to
  /// the next thing that is due. False: nothing is left to happen.
  bool step();
  /// Kills the node and boots it again on what the crash left.
  void crash();
  /// Every node from now on, after each step: what must always hold.
  uint64_t random_below(uint64_t bound) { return chance_() % bound; }
  domain::uuid fresh_uuid() { return new_uuid(); }
  int64_t now_us() const;
  uint64_t steps() const { return steps_; }
  /// A running hash of what happened, for comparing two runs.
  uint64_t trace() const { return trace_; }
  /// The node's stamps are by this clock.
  int64_t wall_us() override { return wall_base + now_us(); }

private:
  static constexpr int64_t wall_base = 1'700'000'000'000'000;

  int64_t steady_us() override { return now_us(); }
  uint64_t random() override { return chance_(); }
  bool threads() const override { return false; }

  class port;
  void boot();
  void run_ready();
  void note(uint64_t what);

  options options_;
  std::mt19937_64 chance_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  persistence::simulated_disk disk_;
  std::shared_ptr<persistence::memory_volume> volume_ =
    std::make_shared<persistence::memory_volume>();
  std::unique_ptr<actors::node> node_;
  std::shared_ptr<port> port_;
  caf::actor alarm_;
  std::map<uint64_t, answer> open_;
  std::map<uint64_t, std::function<void()>> alarms_;
  uint64_t last_id_ = 0;
  uint64_t steps_ = 0;
  uint64_t trace_ = 0;
  bool dying_ = false;
};

} // namespace queen::sim
