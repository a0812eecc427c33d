#include "actors/node/group_context.hpp"

#include <algorithm>

namespace queen::actors {

void consumer_directory::add(domain::queue_id queue,
                             const applied_listener& who) {
  std::lock_guard lock{mutex_};
  by_queue_[queue].push_back(who);
}

void consumer_directory::remove(domain::queue_id queue,
                                const applied_listener& who) {
  std::lock_guard lock{mutex_};
  auto i = by_queue_.find(queue);
  if (i == by_queue_.end())
    return;
  auto& all = i->second;
  all.erase(std::remove(all.begin(), all.end(), who), all.end());
  if (all.empty())
    by_queue_.erase(i);
}

std::vector<applied_listener>
consumer_directory::of(domain::queue_id queue) const {
  std::lock_guard lock{mutex_};
  auto i = by_queue_.find(queue);
  return i == by_queue_.end() ? std::vector<applied_listener>{} : i->second;
}

} // namespace queen::actors
