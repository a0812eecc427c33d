// One read that is no call: listings, counts, dead letters, timers, reads by
// offset. Answers from committed state in the store and ends. A fetch that may
// wait registers for the appends of its queues and looks again when they come.

#pragma once

#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

using query_actor = caf::typed_actor<
  // Something was appended to a queue that a fetch waits for.
  caf::reacts_to<applied>,
  // The fetch's wait is over.
  caf::reacts_to<wake>>;

query_actor::behavior_type query(query_actor::pointer self, context_ptr context,
                                 std::shared_ptr<const domain::command> what,
                                 domain::reply_to client);

} // namespace queen::actors
