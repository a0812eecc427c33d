// Runs one consumer_group_state. Takes pops from the tenant group, sends
// claims to leases through it, logs what was granted as one entry, answers
// when that has applied. Reads partition and cursor rows when it loads.

#pragma once

#include "actors/consumer_group/consumer_group_messages.hpp"
#include "actors/consumer_group/shared_pop.hpp"
#include "actors/node/group_context.hpp"
#include "actors/node/wake.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

struct read_more {
  domain::partition_id from = 0;
};

/// The tenant group as a consumer group sees it.
using claim_router =
  caf::typed_actor<caf::reacts_to<submit>, caf::reacts_to<offer_rest>,
                   caf::reacts_to<route_claim>>;

using consumer_group_actor = caf::typed_actor<
  // A pop to serve now or to park.
  caf::reacts_to<serve_pop>,
  // The client of a pop has gone.
  caf::reacts_to<cancel_pop>,
  // The queue of this name exists from now on, under this id.
  caf::reacts_to<queue_is>,
  // A lease judged a claim.
  caf::reacts_to<claim_answer>,
  // Entries that touched the queue, or an own entry, have applied.
  caf::reacts_to<applied>,
  // A parked pop's deadline, a lease's end or a delay's end is due.
  caf::reacts_to<wake>,
  // The next part of a scan over the queue's partitions.
  caf::reacts_to<read_more>,
  // The tenant group agrees that nobody needs it now.
  caf::reacts_to<rest>>;

struct consumer_group_identity {
  domain::uuid tenant;
  std::string queue, group;
  domain::queue_id queue_id = 0; // 0: no such queue yet
  bool queue_stored = false;     // false: planned, the store holds nothing yet
  std::string key;               // its name in the tenant group's directory
};

consumer_group_actor::behavior_type
consumer_group(consumer_group_actor::pointer self, context_ptr context,
               claim_router door, consumer_group_identity identity);

/// The call id under which a consumer group hears of entries of others.
inline constexpr call_id not_my_call = ~call_id{0};

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::read_more)
