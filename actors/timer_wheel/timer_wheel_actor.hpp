// Runs one timer_wheel_state: the timers of a raft group that are due soon.
// Judges schedules and cancels, fires what is due through the tenant group as
// a call of its own, so that a fire is one entry like any other step.

#pragma once

#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

struct fire_ended {
  uint64_t fire = 0;
  domain::reply answer;
};

using timer_wheel_actor = caf::typed_actor<
  // Timer operations to judge.
  caf::reacts_to<ballot>,
  // A call that was reserved for has been decided.
  caf::reacts_to<decided>,
  // Its entry has applied.
  caf::reacts_to<applied>,
  // Something is due, or the near part is to be filled from the store.
  caf::reacts_to<wake>,
  // What became of a fire.
  caf::reacts_to<fire_ended>>;

timer_wheel_actor::behavior_type timer_wheel(timer_wheel_actor::pointer self,
                                             context_ptr context,
                                             group_door door);

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::fire_ended)
