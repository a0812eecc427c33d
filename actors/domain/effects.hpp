// What a raft entry carries: effects, not requests. Every decision has been
// taken by the leader's votes, so apply never refuses and gives the same state
// on every node (ARCHITECTURE.md, A transaction, step by step). The only clock
// that apply knows is the entry's stamp.

#pragma once

#include "actors/domain/commands.hpp"

namespace queen::domain {

/// The cursor of a group on a partition, with its lease: one row, written
/// whole. [batch_start, batch_end) is out with a consumer while lease_id is
/// not nil; it is live while the leader's clock is before expires_at.
struct cursor_record {
  offset_t cursor = 0; // everything below is done
  uuid lease_id;       // nil: no lease
  offset_t batch_start = 0, batch_end = 0;
  time_us expires_at = 0;
  offset_t seen_below = 0;   // offsets below have been delivered at least once
  uint32_t redeliveries = 0; // deliveries of the message at the cursor so far
  uint32_t retries = 0;      // `failed` acks since the last completed batch
  // The lease that the last ack released: its repeat is a no-op for ever.
  uuid released_lease;
  offset_t released_start = 0, released_end = 0;
  uint64_t released_hash = 0; // id_hash of the last message it acked

  bool operator==(const cursor_record&) const = default;
};

struct group_record { // subscription of a (queue name, group)
  std::string queue, group;
  subscription_mode mode = subscription_mode::from_new;
  uint64_t since_index = 0; // from_new: only appends of later entries
  time_us from = 0;         // timestamp: first message at or after
  bool conflation = false;
  time_us created_at = 0;

  bool operator==(const group_record&) const = default;
};

struct timer_record {
  std::string queue, timer_key, partition, txn;
  uuid message_id;
  time_us deliver_at = 0, created_at = 0;
  uint32_t attempts = 0; // refused fires so far
  std::string last_error;
  slice payload;
};

struct stored_message { // as an append carries it; offset and time come at
                        // apply
  uuid message_id;
  std::string transaction_id; // empty: the message id's text
  std::optional<uuid> trace_id;
  std::string producer_sub;
  slice payload;
};

// -- effects ------------------------------------------------------------------

/// Writes a queue's record whole. `ensure` leaves an existing one alone.
struct put_queue {
  queue_record queue;
  bool ensure = false;
};
/// Idempotent: the first transaction to push there may have rolled back.
struct ensure_partition {
  queue_id queue = 0;
  partition_id partition = 0;
  std::string name;
};
struct append {
  queue_id queue = 0;
  partition_id partition = 0;
  std::vector<stored_message> messages;
};
struct put_cursor {
  queue_id queue = 0;
  partition_id partition = 0;
  std::string group;
  cursor_record cursor;
  uuid closed_lease; // nil, or the lease that this write ends
};
/// The payload is copied at apply from the node's own store.
struct file_dead_letter {
  uuid id;
  queue_id queue = 0;
  partition_id partition = 0;
  std::string group;
  offset_t offset = 0;
  uint32_t retries = 0;
  std::string error;
};
struct put_group {
  uuid tenant;
  group_record group;
};
struct put_kv {
  uuid tenant;
  std::string ns, key;
  slice value;
  version_t version = 0;
  time_us expires_at = 0; // 0: never
};
struct erase_kv {
  uuid tenant;
  std::string ns, key;
  version_t version = 0;
};
struct put_timer {
  uuid tenant;
  timer_record timer;
};
struct erase_timer {
  uuid tenant;
  std::string queue, timer_key;
};
/// A timer that failed for good (spec: dead letter under __timer__).
struct file_timer_dead_letter {
  uuid tenant;
  uuid id;
  queue_id queue = 0;
  timer_record timer;
};
struct erase_queue {
  uuid tenant;
  queue_id queue = 0;
  std::string name;
};
/// Retention: drops offsets below `upto`.
struct trim_partition {
  queue_id queue = 0;
  partition_id partition = 0;
  offset_t upto = 0;
};

using effect = std::variant<put_queue, ensure_partition, append, put_cursor,
                            file_dead_letter, put_group, put_kv, erase_kv,
                            put_timer, erase_timer, file_timer_dead_letter,
                            erase_queue, trim_partition>;

/// One raft entry of the broker: what one call did.
struct log_entry {
  time_us stamp = 0; // leader's clock, never below an earlier entry's
  uuid request_id;   // nil: no client waits for it
  std::vector<effect> effects;
};

/// The entry format version that this build writes; readers refuse newer ones.
inline constexpr uint8_t entry_format_version = 1;

/// effect_codec.cpp. Deterministic: equal entries give equal bytes.
std::string encode(const log_entry& entry);
/// Payload slices refer into `bytes`. Errors: damaged, format_newer.
result<log_entry> decode_entry(std::shared_ptr<const std::string> bytes);

} // namespace queen::domain
