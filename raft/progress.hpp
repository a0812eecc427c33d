// What a leader knows of one follower's log, and how much it may send before
// the follower answers (thesis, figure 3.1 and section 10.2.1).

#pragma once

#include "raft/types.hpp"

#include <deque>

namespace queen::raft {

/// Probing: where the logs meet is not known, so one message at a time.
/// Replicating: it is known, so messages follow each other without an answer,
/// up to a window.
class progress {
public:
  explicit progress(index_t next) : next_(next) {}

  index_t next() const { return next_; }
  index_t match() const { return match_; }
  bool replicating() const { return replicating_; }
  bool may_send(size_t window) const {
    return replicating_ ? in_flight_.size() < window : !probe_sent_;
  }

  /// Entries up to `last` went out, from next() on.
  void sent(index_t last);
  /// A heartbeat is due, so a probe that was lost may go out again.
  void allow_probe() { probe_sent_ = false; }
  void accepted(index_t index);
  /// The request after `before_index` did not fit; `hint` is where to look
  /// next. False for an answer to something older, which changes nothing.
  bool refused(index_t before_index, index_t hint);

  bool heard = true;  // since the last check of the quorum, section 6.2
  uint64_t round = 0; // the last read round it has answered, section 6.4

private:
  index_t next_;
  index_t match_ = 0;
  bool replicating_ = false;
  bool probe_sent_ = false;
  std::deque<index_t> in_flight_; // the last index of each message, rising
};

} // namespace queen::raft
