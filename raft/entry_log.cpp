#include "raft/entry_log.hpp"

#include "config/ensure.hpp"

namespace queen::raft {

entry_log::entry_log(index_t index, term_t term, std::vector<entry> entries)
  : snapshot_index_(index), snapshot_term_(term) {
  for (auto& e : entries)
    append(std::move(e));
}

term_t entry_log::term_at(index_t index) const {
  if (index == snapshot_index_)
    return snapshot_term_;
  return has(index) ? at(index).term : 0;
}

void entry_log::append(entry e) {
  ENSURE(e.index == last() + 1);
  ENSURE(e.term >= last_term());
  entries_.push_back(std::move(e));
}

void entry_log::truncate(index_t index) {
  ENSURE(index >= snapshot_index_);
  while (last() > index)
    entries_.pop_back();
}

void entry_log::compact(index_t index) {
  ENSURE(index <= last());
  while (snapshot_index_ < index) {
    snapshot_term_ = entries_.front().term;
    ++snapshot_index_;
    entries_.pop_front();
  }
}

} // namespace queen::raft
