// The part of a group's log that is in memory: what has not been compacted.

#pragma once

#include "raft/types.hpp"

#include <deque>

namespace queen::raft {

class entry_log {
public:
  /// Everything up to `index` is in the state machine's snapshot.
  entry_log(index_t index, term_t term, std::vector<entry> entries);

  index_t first() const { return snapshot_index_ + 1; }
  index_t last() const { return snapshot_index_ + entries_.size(); }
  term_t last_term() const { return term_at(last()); }
  /// 0 for an index that is compacted or not there yet. Index 0 has term 0.
  term_t term_at(index_t index) const;
  bool has(index_t index) const { return index >= first() && index <= last(); }
  const entry& at(index_t index) const {
    return entries_[index - snapshot_index_ - 1];
  }

  void append(entry e);
  /// Drops everything after `index`.
  void truncate(index_t index);
  /// Drops everything up to `index`.
  void compact(index_t index);

private:
  index_t snapshot_index_;
  term_t snapshot_term_;
  std::deque<entry> entries_;
};

} // namespace queen::raft
