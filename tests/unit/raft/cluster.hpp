// A group of cores on a network and disks made of vectors. One seed is one run.
// After each step it checks what must always hold: one leader a term (election
// safety) and one entry an index among all that was handed over to apply (state
// machine safety); thesis, figure 3.2.

#pragma once

#include "raft/core.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace queen::raft::testing {

inline std::shared_ptr<const std::string> bytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

inline entry command(term_t term, index_t index, std::string text = "x") {
  return {term, index, entry_kind::command, bytes(std::move(text))};
}

/// Entries from index 1 on that have these terms.
inline std::vector<entry> log_of(std::vector<term_t> terms) {
  std::vector<entry> out;
  for (auto t : terms)
    out.push_back(command(t, out.size() + 1, "t" + std::to_string(t)));
  return out;
}

class cluster {
public:
  struct node {
    std::unique_ptr<core> raft; // null: crashed
    // What a crash leaves.
    hard_state state;
    std::vector<entry> disk;
    // Taken from the core, not durable yet.
    std::deque<output> writing;
    std::vector<entry> applied;
    std::vector<read_answer> reads;
  };

  explicit cluster(size_t size, uint64_t seed = 1);

  node& at(node_id id) { return nodes_.at(id); }
  core& raft(node_id id) { return *nodes_.at(id).raft; }
  bool up(node_id id) { return nodes_.at(id).raft != nullptr; }

  /// Gives a node a past, before it starts.
  void remember(node_id id, hard_state state, std::vector<entry> log);
  void start(node_id id);
  void start_all();
  void crash(node_id id);

  /// Messages to and from it are lost.
  void cut(node_id id) { cut_.insert(id); }
  void heal() { cut_.clear(); }

  void take(node_id id);
  void sync(node_id id); // the oldest write becomes durable
  void deliver(size_t which);
  void drop(size_t which) { net.erase(net.begin() + which); }
  /// Until nothing is on its way.
  void settle();
  void tick(node_id id);
  /// Time passes for everybody, and nothing is lost.
  void run(size_t ticks);
  /// One node's time passes until it asks for votes.
  void expire(node_id id);
  void elect(node_id id);
  /// `steps` random events: ticks, losses, doubles, reorders, crashes.
  void chaos(size_t steps);

  node_id leader();             // of the highest term among those up; 0: none
  std::vector<entry> committed; // by anybody, ever
  std::vector<message> net;

private:
  void check(node_id id);

  std::map<node_id, node> nodes_;
  std::map<term_t, node_id> leaders_;
  std::set<node_id> cut_;
  std::mt19937_64 random_;
  uint64_t proposed_ = 0;
};

} // namespace queen::raft::testing
