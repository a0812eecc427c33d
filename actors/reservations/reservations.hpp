// Who may speak about a key now, and who waits. A call enters the lines of all
// its keys at once and holds them when it is first in each; nobody is ever let
// past. Since all participants see calls in one order (ARCHITECTURE.md, A
// transaction, step by step), no cycle of waiting can form.

#pragma once

#include "config/ensure.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace queen::actors {

template <class Key>
class reservations {
public:
  /// True when the call holds all of its keys now. Keys may repeat.
  bool enter(uint64_t call, std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    size_t behind = 0;
    for (auto& key : keys) {
      auto& line = lines_[key];
      behind += line.empty() ? 0 : 1;
      line.push_back(call);
    }
    auto [i, fresh] = calls_.try_emplace(call, place{std::move(keys), behind});
    ENSURE(fresh);
    return behind == 0;
  }

  /// The call gives up what it holds or waits for; unknown calls are fine.
  /// Returns the calls that hold all of their keys because of it, in order.
  std::vector<uint64_t> leave(uint64_t call) {
    std::vector<uint64_t> ready;
    auto i = calls_.find(call);
    if (i == calls_.end())
      return ready;
    for (auto& key : i->second.keys) {
      auto line = lines_.find(key);
      bool first = line->second.front() == call;
      auto& all = line->second;
      all.erase(std::find(all.begin(), all.end(), call));
      if (all.empty())
        lines_.erase(line);
      else if (first && --calls_.at(all.front()).behind == 0)
        ready.push_back(all.front());
    }
    calls_.erase(i);
    std::sort(ready.begin(), ready.end());
    return ready;
  }

  bool empty() const { return calls_.empty(); }
  bool contains(uint64_t call) const { return calls_.count(call) != 0; }

private:
  struct place {
    std::vector<Key> keys;
    size_t behind; // in so many lines somebody stands before it
  };
  std::map<Key, std::deque<uint64_t>> lines_;
  std::map<uint64_t, place> calls_;
};

} // namespace queen::actors
