// The timers of a raft group: judges schedules, cancels and fires on committed
// state, and keeps in memory which of them are due soon; all others stay in
// the store (spec/kv-timers-locks.md, Timers).

#pragma once

#include "actors/applier/applied_entry.hpp"
#include "actors/domain/effects.hpp"
#include "actors/domain/replies.hpp"
#include "persistence/store.hpp"

#include <map>
#include <set>

namespace queen::actors {

struct timer_ref {
  domain::uuid tenant;
  std::string queue, timer_key;

  auto operator<=>(const timer_ref&) const = default;
};

/// The references that a call speaks about, as keys of reservations.
std::vector<timer_ref> timers_of(const domain::transaction& call,
                                 const std::vector<uint32_t>& items);

class timer_wheel_state {
public:
  explicit timer_wheel_state(const persistence::store& store,
                             size_t near_max = 65536)
    : store_(store), near_max_(near_max) {}

  struct verdict {
    domain::refusal reason = domain::refusal::none;
    std::string error;
    std::vector<domain::timer_result> results; // parallel to `items`
    std::vector<domain::effect> effects;
  };
  verdict judge(const domain::transaction& call,
                const std::vector<uint32_t>& items, domain::time_us now) const;

  void applied(const applied_entry& entry);

  /// What is to be fired now, at most `count`; each is given once until
  /// `again` or an entry says more about it.
  std::vector<timer_ref> take_due(domain::time_us now, size_t count);
  /// Its fire did not come about: not before `at`.
  void again(const timer_ref& which, domain::time_us at);
  /// When there may be something to take or to read.
  domain::time_us next_wakeup(domain::time_us now) const;

  std::optional<domain::timer_record> stored(const timer_ref& which) const;
  size_t near() const { return due_.size(); }

private:
  void set(const timer_ref& which, domain::time_us due);
  void forget(const timer_ref& which);
  void read_on(domain::time_us now);
  void shed();

  const persistence::store& store_;
  size_t near_max_;
  std::set<std::pair<domain::time_us, timer_ref>> due_;
  std::map<timer_ref, domain::time_us> near_;
  domain::time_us read_until_ = 0; // all that is due before is in memory
};

} // namespace queen::actors
