// The workload of a pipeline: producers, workers whose step acks, pushes,
// counts, marks and promises a timer in one call, and counters that everyone
// wants. Its checks are those of spec/cluster.md, Guarantees, for one node.

#pragma once

#include "tests/sim/world.hpp"

#include <set>
#include <string>
#include <vector>

namespace queen::sim {

class pipeline {
public:
  struct options {
    uint32_t partitions = 4;
    uint32_t messages = 25; // a partition
    uint32_t workers = 6;
    uint32_t counters = 4; // clients of the contended counters
  };
  pipeline(world& in, options what);

  void start();
  /// Every input is through and every timer had its time; clients stop.
  bool done() const { return quiet_; }
  /// Reads everything back; `complain` has what is wrong.
  void check(std::function<void(const std::string& complaint)> complain);

private:
  struct held { // a lease, as far as its holder knows
    domain::uuid lease;
    int64_t until = 0;
  };

  uint64_t total() const {
    return uint64_t{options_.partitions} * options_.messages;
  }
  void produce(uint32_t partition, uint32_t number);
  void work();
  void popped(const domain::pop_reply& got, int64_t asked_at);
  void step(const domain::pop_reply& got);
  void count();
  void observe();
  void read(const std::string& queue, const std::string& partition,
            std::function<void(const domain::fetched_entry&)> then);
  void wrong(std::string what);

  static bool has_timer(const std::string& id);
  static int64_t delay_of(const std::string& id);
  std::string id_of(uint32_t partition, uint32_t number) const;
  domain::transaction call(domain::call_kind kind);

  world& in_;
  options options_;
  uint64_t steps_done_ = 0; // messages, as the counter in the node says
  std::set<std::string> stepped_;
  std::map<std::string, held> leases_; // by partition
  uint64_t counted_ = 0, count_unknown_ = 0;
  bool quiet_ = false;
  std::vector<std::string> complaints_;
};

} // namespace queen::sim
