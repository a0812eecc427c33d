// Runs one lease_state: judges acks, claims and extensions of one (partition,
// group), and reserves itself for the call it said yes to until that call's
// entry has applied. Reads the batch of a claim through the partition.

#pragma once

#include "actors/consumer_group/consumer_group_messages.hpp"
#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

using lease_actor = caf::typed_actor<
  // Acks or an extension to judge.
  caf::reacts_to<ballot>,
  // A call that was reserved for has been decided.
  caf::reacts_to<decided>,
  // Its entry has applied.
  caf::reacts_to<applied>,
  // A consumer group wants the next batch.
  caf::reacts_to<claim>,
  // The partition has read the batch.
  caf::reacts_to<batch_read>,
  // Time to look whether it has been idle.
  caf::reacts_to<wake>,
  // The tenant group agrees that nobody needs it now.
  caf::reacts_to<rest>>;

struct lease_identity {
  domain::queue_id queue_id = 0;
  domain::partition_id partition = 0;
  std::string queue, partition_name, group;
  std::string key; // its name in the tenant group's directory
};

lease_actor::behavior_type lease(lease_actor::pointer self, context_ptr context,
                                 group_door door, lease_identity identity);

} // namespace queen::actors
