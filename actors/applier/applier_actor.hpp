// Runs one applier_state on its group's store: what the log has committed
// becomes one batch of rows, and then the actors that it touched hear of it, in
// log order: participants, consumer groups, and last whoever answers a client.

#pragma once

#include "actors/applier/applier_state.hpp"
#include "actors/node/group_context.hpp"
#include "actors/tenant_group/tenant_group_actor.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>

namespace queen::actors {

struct committed_entry {
  uint64_t index = 0;
  uint64_t term = 0;
  /// What the leader proposed; null where only the bytes are at hand.
  std::shared_ptr<const domain::log_entry> entry;
  /// Null with a null `entry`: raft's own entry, or a barrier.
  std::shared_ptr<const std::string> bytes;
  std::shared_ptr<const in_flight> waiting;
  bool barrier = false; // no entry at all: everything before it has applied
  bool leads = false;   // this node leads from this entry on
};

struct committed {
  std::vector<committed_entry> entries;
};

/// Told to raft: the store holds everything up to here.
struct applied_upto {
  uint64_t index = 0;
};

/// Told to raft: and a crash does not take it away any more.
struct checkpointed {
  uint64_t index = 0;
};

using progress_listener =
  caf::typed_actor<caf::reacts_to<applied_upto>, caf::reacts_to<checkpointed>>;

/// Makes the store durable up to `index` and tells `listener`.
struct make_checkpoint {
  persistence::store* store = nullptr;
  uint64_t index = 0;
  progress_listener listener;
};

using checkpointer_actor = caf::typed_actor<
  // Flush this store; runs on a thread of its own, since a flush takes long.
  caf::reacts_to<make_checkpoint>>;

struct apply_now {};

using applier_actor = caf::typed_actor<
  // Entries that the log has committed.
  caf::reacts_to<committed>,
  // To itself: apply all that has gathered.
  caf::reacts_to<apply_now>>;

struct applier_wiring {
  applier_state* state = nullptr; // loaded; owned by the node
  persistence::store* store = nullptr;
  consumer_directory* consumers = nullptr;
  tenant_group_actor tenants;
  progress_listener raft;
  checkpointer_actor checkpointer;
  /// So many bytes of applied entries call for a checkpoint.
  uint64_t checkpoint_bytes = 256ull << 20;
  /// The store refused a write or an entry is damaged: the node must stop.
  std::function<void(const error&)> fatal;
};

applier_actor::behavior_type applier(applier_actor::pointer self,
                                     applier_wiring wiring);

checkpointer_actor::behavior_type
checkpointer(checkpointer_actor::pointer self,
             std::function<void(const error&)> fatal);

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::committed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::applied_upto)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::checkpointed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::make_checkpoint)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::apply_now)
