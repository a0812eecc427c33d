// The only writer of the node's log, on a thread of its own. While one sync
// runs, whatever the raft groups send gathers in its mailbox, and the next sync
// serves all of it (ARCHITECTURE.md, Actors): one `fdatasync` for all groups.

#pragma once

#include "persistence/log.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <vector>

namespace queen::actors {

/// Everything of the write with this token, and of all before it, survives a
/// crash from now on.
struct written {
  uint64_t token = 0;
};

using write_listener = caf::typed_actor<caf::reacts_to<written>>;

struct write_records {
  uint64_t token = 0;
  std::vector<persistence::log_append> records;
  write_listener listener;
};

/// The group needs nothing of its log up to and with `index` any more.
struct release_log {
  uint32_t group = 0;
  uint64_t index = 0;
};

struct write_now {};

using log_writer_actor = caf::typed_actor<
  // Records of one raft group.
  caf::reacts_to<write_records>,
  // A group has a checkpoint behind this index.
  caf::reacts_to<release_log>,
  // To itself: one write and one sync for all that has gathered.
  caf::reacts_to<write_now>>;

/// What it did so far, for the metrics; readable from any thread.
struct log_writer_stats {
  std::atomic<uint64_t> syncs{0};
  std::atomic<uint64_t> records{0};
};

/// `fatal` is told of a failed write: what the disk holds is unknown then, so
/// the node must stop and find out by recovery.
log_writer_actor::behavior_type
log_writer(log_writer_actor::pointer self, persistence::log* log,
           std::shared_ptr<log_writer_stats> stats,
           std::function<void(const error&)> fatal);

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::written)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::write_records)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::release_log)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::write_now)
