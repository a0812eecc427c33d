// Runs one partition_state: judges pushes against the dedup window, keeps the
// tail of recent messages, serves batches to leases. Reads the store when it
// loads and for what is older than the tail; never writes.

#pragma once

#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"
#include "actors/partition/partition_messages.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

using partition_actor = caf::typed_actor<
  // Pushes to judge.
  caf::reacts_to<ballot>,
  // A call that was reserved for has been decided.
  caf::reacts_to<decided>,
  // Its entry has applied: the tail grows.
  caf::reacts_to<applied>,
  // A lease needs the messages of its next batch.
  caf::reacts_to<read_batch>,
  // Time to look whether it has been idle.
  caf::reacts_to<wake>,
  // The tenant group agrees that nobody needs it now.
  caf::reacts_to<rest>>;

struct partition_identity {
  domain::queue_id queue_id = 0;
  domain::partition_id id = 0;
  std::string queue, name;
  bool stored = false; // false: planned, no entry has created it yet
  std::string key;     // its name in the tenant group's directory
};

partition_actor::behavior_type partition(partition_actor::pointer self,
                                         context_ptr context, group_door door,
                                         partition_identity identity);

} // namespace queen::actors
