// What a consumer group says to the tenant group and to leases about claims.

#pragma once

#include "actors/consumer_group/consumer_group_state.hpp"
#include "actors/domain/rows.hpp"
#include "actors/partition/partition_messages.hpp"
#include "actors/transaction/transaction_messages.hpp"

namespace queen::actors {

/// A lease's answer to a claim. A granted one is reserved until the entry that
/// carries `effects` has applied, or `decided` says no.
struct claim_answer {
  ticket_id ticket = 0;
  domain::partition_id partition = 0;
  call_id call = 0;
  participant_actor lease;
  claim_outcome outcome;
  std::vector<domain::effect> effects;
  domain::popped_partition popped; // messages of the batch, with their owners
};

using claimant_actor = caf::typed_actor<caf::reacts_to<claim_answer>>;

struct claim {
  call_id call = 0;
  ticket_id ticket = 0;
  claimant_actor claimant;
  reader_actor partition; // the partition's own actor, to read the batch from
  domain::uuid lease_id;  // nil: autoAck
  std::optional<domain::group_record> subscription; // none: queue mode
  uint32_t batch = 0;
  std::optional<uint32_t> lease_seconds;
  bool auto_ack = false;
  domain::queue_options options;
  domain::time_us now = 0;
};

/// Consumer group to tenant group: pass this claim to the lease of that
/// partition. The tenant group fills call, partition actor, options and now.
struct route_claim {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  std::string group;
  claim what;
};

/// A pop that this consumer group is to serve.
struct serve_pop {
  std::shared_ptr<const domain::pop> what;
  domain::reply_to client;
  domain::time_us deadline = 0; // leader's clock
  /// Discovery: one pop waits in several consumer groups; whoever delivers
  /// first takes it (see discovery.hpp). Null for an ordinary pop.
  std::shared_ptr<class shared_pop> shared;
};

/// The client has gone: hand back what was claimed for it.
struct cancel_pop {
  domain::uuid request_id;
};

/// The queue of this name has been planned or created under this id.
struct queue_is {
  domain::queue_id id = 0;
};

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::claim_answer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::claim)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::route_claim)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::serve_pop)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::cancel_pop)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::queue_is)
