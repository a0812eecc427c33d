// The front door of a raft group on its leader: every command passes here and
// nowhere else, so all participants see calls in one order and no cycle of
// waiting can form. Owns the queue table and the directory of loaded actors;
// never judges, never waits for a disk. Supervises them: when one fails, all
// that was planned with it is dropped and loaded again from committed state.

#pragma once

#include "actors/consumer_group/consumer_group_actor.hpp"
#include "actors/partition/partition_actor.hpp"

namespace queen::actors {

/// The log has applied an entry of this leader's own term: from here on the
/// leader knows all that was promised before it.
struct leading {
  domain::time_us last_stamp = 0;
  domain::queue_id next_queue = 1;
  domain::partition_id next_partition = 1;
};

/// Another node leads, or none: what is planned is void.
struct following {};

/// The client of this request has gone.
struct forget_request {
  std::shared_ptr<const domain::command> what;
};

/// Look for actors that are idle.
struct sweep {};
/// The node is going down.
struct stop_group {};

using tenant_group_actor = caf::typed_actor<
  // Commands, in the order in which they are to be judged.
  caf::reacts_to<submit>,
  // A loaded actor has been idle.
  caf::reacts_to<offer_rest>,
  // A consumer group's claim on its way to the lease.
  caf::reacts_to<route_claim>,
  // Entries of its own (configure, delete) have applied.
  caf::reacts_to<applied>,
  // This node leads the group from now on.
  caf::reacts_to<leading>,
  // It leads no longer.
  caf::reacts_to<following>,
  // A long poll's client has gone.
  caf::reacts_to<forget_request>,
  // A parked discovery's deadline is due.
  caf::reacts_to<wake>,
  // Loaded actors may be idle.
  caf::reacts_to<sweep>,
  // End, and everything loaded with it.
  caf::reacts_to<stop_group>>;

tenant_group_actor::behavior_type tenant_group(tenant_group_actor::pointer self,
                                               context_ptr base);

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::leading)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::following)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::forget_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::sweep)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::stop_group)
