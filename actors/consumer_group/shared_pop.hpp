// A pop by labels waits in the consumer groups of several queues at once. The
// first that can deliver takes it; when all have come up empty, one answers.

#pragma once

#include <atomic>

namespace queen::actors {

class shared_pop {
public:
  explicit shared_pop(int members) : left_(members) {}

  enum class taken { mine, busy, done };
  taken take() {
    int open = 0;
    if (state_.compare_exchange_strong(open, 1))
      return taken::mine;
    return open == 1 ? taken::busy : taken::done;
  }
  /// Nothing was granted after all: others may try.
  void put_back() { state_.store(0); }
  void finish() { state_.store(2); }
  bool done() const { return state_.load() == 2; }

  void join() { ++left_; }
  /// True for the last member that has nothing: it answers the client.
  bool give_up() { return --left_ == 0 && !done(); }

private:
  std::atomic<int> state_{0}; // 0 open, 1 taken, 2 answered
  std::atomic<int> left_;
};

} // namespace queen::actors
