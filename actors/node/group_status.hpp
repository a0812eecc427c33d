// Where a raft group of this node stands, for /health: written by the group's
// actors, read by the edge without asking anybody.

#pragma once

#include <atomic>
#include <cstdint>

namespace queen::actors {

struct group_status {
  std::atomic<bool> leads{false}; // and has applied an entry of its own term
  std::atomic<uint64_t> term{0};
  std::atomic<uint64_t> commit{0};
  std::atomic<uint64_t> applied{0};
  std::atomic<uint64_t> restarts{0}; // of the leader's loaded actors
};

} // namespace queen::actors
