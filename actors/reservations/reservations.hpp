// Who may speak about what while calls are in flight: one line of waiting calls
// for each key, first come first served and never bypassed. A call holds its
// keys when it stands first in the line of every one of them. Participants see
// calls in one order, so no two calls can each wait for the other
// (ARCHITECTURE.md, A transaction, step by step).

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
  using call_id = uint64_t;

  /// True when the call holds all of `keys` now; else it waits, and `leave` of
  /// another call will name it. A call without keys holds them at once.
  bool enter(call_id call, std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    auto [place, fresh] = calls_.try_emplace(call);
    ENSURE(fresh);
    place->second.keys = std::move(keys);
    for (auto& key : place->second.keys) {
      auto& line = lines_[key];
      place->second.behind += !line.empty();
      line.push_back(call);
    }
    return place->second.behind == 0;
  }

  /// The calls that hold all of their keys because this one has gone, oldest
  /// place first. A call that is not here leaves nothing.
  std::vector<call_id> leave(call_id call) {
    std::vector<call_id> holding;
    auto place = calls_.find(call);
    if (place == calls_.end())
      return holding;
    for (auto& key : place->second.keys) {
      auto line = lines_.find(key);
      auto& waiting = line->second;
      bool was_first = waiting.front() == call;
      if (was_first)
        waiting.pop_front();
      else
        waiting.erase(std::find(waiting.begin(), waiting.end(), call));
      if (waiting.empty())
        lines_.erase(line);
      else if (was_first && --calls_.at(waiting.front()).behind == 0)
        holding.push_back(waiting.front());
    }
    calls_.erase(place);
    std::sort(holding.begin(), holding.end());
    return holding;
  }

  bool contains(call_id call) const { return calls_.contains(call); }
  bool empty() const { return calls_.empty(); }

private:
  struct place {
    std::vector<Key> keys;
    size_t behind = 0; // keys in whose line another call stands before it
  };
  std::map<Key, std::deque<call_id>> lines_;
  std::map<call_id, place> calls_;
};

} // namespace queen::actors
