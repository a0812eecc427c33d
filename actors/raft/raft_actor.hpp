// Runs the consensus core of one raft group: proposals in, records to the log
// writer, committed entries to the applier. Keeps beside each proposal who
// waits for it; decides nothing.

#pragma once

#include "actors/applier/applier_actor.hpp"
#include "actors/log_writer/log_writer_actor.hpp"
#include "actors/node/group_status.hpp"
#include "raft/core.hpp"

namespace queen::actors {

/// The actors that are spawned after it, since they need its handle.
struct start_raft {
  applier_actor applier;
  tenant_group_actor tenants;
};

struct run_core {};

using raft_actor = caf::typed_actor<
  // An entry or a barrier from this node's leader side.
  caf::reacts_to<propose>,
  // The log has made records durable.
  caf::reacts_to<written>,
  // The applier's store holds everything up to an index.
  caf::reacts_to<applied_upto>,
  // And a crash does not take it away.
  caf::reacts_to<checkpointed>,
  // Everybody is there: begin.
  caf::reacts_to<start_raft>,
  // To itself: hand over what has gathered.
  caf::reacts_to<run_core>>;

struct raft_wiring {
  uint32_t group = 0;
  std::shared_ptr<raft::core> core;
  log_writer_actor log;
  std::shared_ptr<group_status> status;
};

raft_actor::behavior_type raft_group(raft_actor::pointer self,
                                     raft_wiring wiring);

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::start_raft)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::run_core)
