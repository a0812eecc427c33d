// Runs one kv_state: the key/value rows of one tenant. Judges KV operations on
// planned state (committed rows plus decided entries that are on their way).

#pragma once

#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

using kv_actor = caf::typed_actor<
  // KV operations to judge.
  caf::reacts_to<ballot>,
  // A call that was reserved for has been decided.
  caf::reacts_to<decided>,
  // Its entry has applied.
  caf::reacts_to<applied>,
  // Time to look whether it has been idle.
  caf::reacts_to<wake>,
  // The tenant group agrees that nobody needs it now.
  caf::reacts_to<rest>>;

kv_actor::behavior_type kv(kv_actor::pointer self, context_ptr context,
                           group_door door, domain::uuid tenant,
                           std::string key);

} // namespace queen::actors
