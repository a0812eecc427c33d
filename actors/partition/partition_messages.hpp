// Reading a partition: from its tail in memory, or from the store behind it.

#pragma once

#include "actors/domain/rows.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace queen::actors {

/// What may be delivered from `from` on, in whole blocks.
struct batch_read {
  uint64_t token = 0;
  domain::offset_t log_start = 0;
  domain::offset_t deliverable_end = 0; // delays considered
  domain::time_us again_at = 0;         // when a delay ends; 0: none is running
  std::vector<domain::block_ptr> blocks; // cover [from, ...), oldest first
};

using batch_receiver = caf::typed_actor<caf::reacts_to<batch_read>>;

struct read_batch {
  uint64_t token = 0;
  batch_receiver receiver; // null: only counted
  domain::offset_t from = 0;
  uint32_t messages = 0;
  bool newest_only = false; // conflation
  domain::queue_options options;
  domain::time_us now = 0;
};

using reader_actor = caf::typed_actor<caf::reacts_to<read_batch>>;

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::batch_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::read_batch)
