// How a call collects votes and how its entry comes back applied. Everything
// here is immutable once sent; payloads travel as shared slices.

#pragma once

#include "actors/applier/applier_state.hpp"
#include "actors/domain/replies.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace queen::actors {

/// Names a call in flight in its raft group; given by the tenant group.
using call_id = uint64_t;

/// What became of a pushed item. `ordinal` counts the messages that the same
/// vote appends, so that offsets can be told once the entry has applied.
struct push_outcome {
  bool duplicate = false;
  bool in_call = false; // repeated in this call: `ordinal` is the first's
  uint32_t ordinal = 0;
  domain::uuid message_id;
  domain::offset_t offset = 0; // of a stored original
};

/// A participant's answer. `reason` none is a yes, which reserves what it
/// spoke about until `decided` or `applied`.
struct vote {
  call_id call = 0;
  uint32_t slot = 0;
  domain::refusal reason = domain::refusal::none;
  std::string error;
  uint32_t failed_kv = 0;
  domain::kv_result lost;
  // Parallel to the ballot's items; only the participant's own kind is filled.
  std::vector<domain::ack_result> acks;
  std::vector<push_outcome> pushes;
  std::vector<domain::kv_result> kv;
  std::vector<domain::timer_result> timers;
  domain::extend_reply extended;
  std::vector<domain::effect> effects;
  /// Judged on effects that are decided and not applied yet: an answer that
  /// writes nothing must wait until they are.
  bool on_planned = false;
};

using vote_collector = caf::typed_actor<caf::reacts_to<vote>>;

/// Asks one participant about its part of a call. `items` are positions in
/// the call's vector of the participant's kind.
struct ballot {
  call_id call = 0;
  uint32_t slot = 0;
  std::shared_ptr<const domain::transaction> what;
  std::shared_ptr<const domain::extend_lease> extend; // leases only
  std::vector<uint32_t> items;
  domain::queue_options options; // of the participant's queue
  domain::time_us now = 0;       // the leader's clock
  vote_collector collector;
};

/// The call was decided: a no frees what the participant reserved, a yes is
/// folded into planned state where there is one.
struct decided {
  call_id call = 0;
  bool committed = false;
};

struct applied_call {
  call_id call = 0;
  std::shared_ptr<const applied_entry> entry; // null: a barrier was passed
};

/// Entries that touched the receiver, in log order.
struct applied {
  std::vector<applied_call> calls;
};

using participant_actor =
  caf::typed_actor<caf::reacts_to<ballot>, caf::reacts_to<decided>,
                   caf::reacts_to<applied>>;

using applied_listener = caf::typed_actor<caf::reacts_to<applied>>;

/// Who must hear that an entry has applied: participants first, the one that
/// answers the client last.
struct in_flight {
  struct seat {
    call_id call = 0;
    participant_actor who;
  };
  std::vector<seat> participants;
  call_id call = 0;
  applied_listener listener;
};

/// One entry for the log, or a barrier (no entry): the listener hears when
/// everything proposed before has applied. With nobody waiting either, the
/// tenant group is told anew from where it leads.
struct propose {
  std::shared_ptr<domain::log_entry> entry;
  std::shared_ptr<const in_flight> waiting;
};

using proposer_actor = caf::typed_actor<caf::reacts_to<propose>>;

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::vote)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::ballot)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::decided)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::applied)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::propose)
