// How an actor that is loaded on first touch goes again: the tenant group wakes
// it when it has sent it nothing for a while, and if it has been idle for long
// enough it offers to end, with the count of what it was sent, so that nothing
// on its way to it is lost. A timer in each would be one in a million actors.

#pragma once

#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/send.hpp>

namespace queen::actors {

class idle_rest {
public:
  idle_rest(context_ptr context, group_door door, std::string key)
    : context_(std::move(context)), door_(std::move(door)),
      key_(std::move(key)), last_used_(context_->now()) {}

  /// Each message that the tenant group counts must be counted here.
  void count() { ++served_; }
  void used() { last_used_ = context_->now(); }

  /// On `wake`; `free` says that nothing is in flight.
  template <class Self>
  void woken(Self* self, bool free) const {
    auto idle = context_->now() - last_used_ >= context_->limits.idle_unload_us;
    if (idle && free)
      self->send(door_, offer_rest{key_, served_});
  }

private:
  context_ptr context_;
  group_door door_;
  std::string key_;
  domain::time_us last_used_;
  uint64_t served_ = 0;
};

} // namespace queen::actors
