#include "raft/progress.hpp"

#include <algorithm>

namespace queen::raft {

void progress::sent(index_t last) {
  if (!replicating_) {
    probe_sent_ = true;
    return;
  }
  if (last < next_)
    return; // a heartbeat takes no room in the window
  next_ = last + 1;
  in_flight_.push_back(last);
}

void progress::accepted(index_t index) {
  match_ = std::max(match_, index);
  next_ = std::max(next_, match_ + 1);
  while (!in_flight_.empty() && in_flight_.front() <= match_)
    in_flight_.pop_front();
  replicating_ = true;
  probe_sent_ = false;
}

bool progress::refused(index_t before_index, index_t hint) {
  // What is known to match stays so: the refusal is older than that.
  if (before_index <= match_)
    return false;
  if (!replicating_ && before_index != next_ - 1)
    return false;
  replicating_ = false;
  probe_sent_ = false;
  in_flight_.clear();
  next_ = std::max(match_ + 1, std::min(before_index, hint));
  return true;
}

} // namespace queen::raft
