// Runs one transaction_state: the votes come to it, the one entry leaves from
// it, and the answer goes to the client from it. Spawned by the tenant group,
// which has sent the ballots itself; ends when it has answered.

#pragma once

#include "actors/transaction/transaction_state.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace queen::actors {

using transaction_actor = caf::typed_actor<
  // A participant has judged its part.
  caf::reacts_to<vote>,
  // The entry (or the barrier) has applied; participants know already.
  caf::reacts_to<applied>>;

/// What the tenant group hands to a new call.
struct open_call {
  call_id call = 0;
  uint64_t max_entry_bytes = 0;
  std::shared_ptr<const domain::transaction> what;
  std::shared_ptr<const domain::extend_lease> extend;
  std::vector<seat_plan> seats;
  std::vector<participant_actor> participants; // parallel to seats
  std::vector<domain::effect> preamble;
  domain::time_us now = 0;
  proposer_actor raft;
  domain::reply_to client;
};

transaction_actor::behavior_type transaction(transaction_actor::pointer self,
                                             std::shared_ptr<open_call> call);

} // namespace queen::actors
