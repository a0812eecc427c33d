// The rows of partitions that apply wrote last, so that an append to a busy
// partition reads nothing. A changed row is written once a commit, however many
// entries changed it, and is never dropped before that.

#pragma once

#include "actors/domain/rows.hpp"

#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

namespace queen::actors {

class partition_heads {
public:
  struct head {
    domain::queue_id queue = 0;
    domain::partition_id partition = 0;
    domain::partition_row row;
    domain::uuid tenant; // nil until somebody asked
    bool changed = false;
  };

  explicit partition_heads(size_t capacity) : capacity_(capacity) {}

  /// Null when it is not here. Valid until `forget_queue` or `trim`.
  head* find(domain::queue_id queue, domain::partition_id partition);
  head& add(domain::queue_id queue, domain::partition_id partition,
            domain::partition_row row);
  void mark_changed(head& which);

  /// Visits what changed since the last call, in the order of first change.
  template <class Visitor>
  void take_changed(Visitor visit);
  /// Drops the least recently used beyond the capacity. Only when nothing is
  /// changed.
  void trim();

  /// Visits and drops the queue's heads, changed or not.
  template <class Visitor>
  void forget_queue(domain::queue_id queue, Visitor visit);

  size_t size() const { return index_.size(); }

private:
  // Partition ids are unique in a raft group, and the queue is compared.
  using order = std::list<head>; // most recently used first
  order order_;
  std::unordered_map<domain::partition_id, order::iterator> index_;
  std::vector<domain::partition_id> changed_;
  size_t capacity_;
};

template <class Visitor>
void partition_heads::take_changed(Visitor visit) {
  for (auto partition : changed_) {
    auto found = index_.find(partition);
    if (found == index_.end() || !found->second->changed)
      continue;
    found->second->changed = false;
    visit(*found->second);
  }
  changed_.clear();
}

template <class Visitor>
void partition_heads::forget_queue(domain::queue_id queue, Visitor visit) {
  for (auto i = order_.begin(); i != order_.end();) {
    if (i->queue != queue) {
      ++i;
      continue;
    }
    visit(*i);
    index_.erase(i->partition);
    i = order_.erase(i);
  }
}

} // namespace queen::actors
