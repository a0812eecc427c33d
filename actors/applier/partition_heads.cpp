#include "actors/applier/partition_heads.hpp"

#include "config/ensure.hpp"

namespace queen::actors {

partition_heads::head* partition_heads::find(domain::queue_id queue,
                                             domain::partition_id partition) {
  auto found = index_.find(partition);
  if (found == index_.end() || found->second->queue != queue)
    return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return &*found->second;
}

partition_heads::head& partition_heads::add(domain::queue_id queue,
                                            domain::partition_id partition,
                                            domain::partition_row row) {
  auto known = index_.find(partition);
  if (known != index_.end()) {
    order_.erase(known->second);
    index_.erase(known);
  }
  order_.push_front({queue, partition, std::move(row), {}, false});
  index_[partition] = order_.begin();
  return order_.front();
}

void partition_heads::mark_changed(head& which) {
  if (!which.changed)
    changed_.push_back(which.partition);
  which.changed = true;
}

void partition_heads::trim() {
  ENSURE(changed_.empty());
  while (index_.size() > capacity_) {
    index_.erase(order_.back().partition);
    order_.pop_back();
  }
}

} // namespace queen::actors
