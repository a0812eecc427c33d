// What the engine answers. A reply is a value: the edge renders it as JSON, the
// simulator's clients read it as it is.

#pragma once

#include "actors/domain/commands.hpp"

namespace queen::domain {

/// One stored message, as readers see it. Strings are slices of the stored row.
struct message_view {
  offset_t offset = 0;
  uuid message_id;
  std::string_view transaction_id;
  std::optional<uuid> trace_id;
  std::string_view payload;
  std::string_view producer_sub; // empty: null
  time_us created_at = 0;
  std::shared_ptr<const void> owner; // keeps the views alive
};

// -- transaction, push, ack, kv, timers ---------------------------------------

struct ack_result {
  bool success = false;
  std::string error; // empty: null
  bool dlq = false;
  bool lease_released = false;
  bool noop = false;
};

struct push_result {
  bool duplicate = false;
  uuid message_id;     // the original's for a duplicate
  offset_t offset = 0; // the original's for a duplicate
};

enum class kv_reason : uint8_t { none, exists, absent, version, limit, type };

struct kv_row_view {
  std::string key;
  std::string value; // JSON text
  version_t version = 0;
  time_us expires_at = 0; // 0: never
  time_us updated_at = 0;
};

struct kv_result {
  kv_op_kind kind = kv_op_kind::get;
  bool applied = false; // writes and check
  bool found = false;   // get
  kv_reason reason = kv_reason::none;
  std::string key;
  std::string value; // JSON text; empty: none
  version_t version = 0;
  time_us expires_at = 0, updated_at = 0;
  std::vector<kv_row_view> rows; // get_many, get_prefix
  std::vector<std::string> missing;
  bool truncated = false;
  std::string next_after;
};

enum class timer_status : uint8_t { scheduled, rescheduled, cancelled, absent };

struct timer_result {
  timer_status status = timer_status::absent;
  std::string txn;
  uuid message_id;
  time_us deliver_at = 0;
};

/// Why a transaction wrote nothing; spec/transaction.md, Verdict.
enum class refusal : uint8_t {
  none,
  rejected_ack,
  duplicate,
  kv_precondition,
  timer_horizon_exceeded,
  payload_too_large,
  too_large,
  name_too_long,
  internal
};

struct transaction_reply {
  refusal reason = refusal::none;
  std::string error;
  // kv_precondition: which operation lost (index into transaction::kv), and the
  // winner
  uint32_t failed_kv = 0;
  kv_result lost;
  // committed: parallel to the command's vectors
  std::vector<ack_result> acks;
  std::vector<push_result> pushes;
  std::vector<kv_result> kv;
  std::vector<timer_result> timers;
};

// -- pop ----------------------------------------------------------------------

struct popped_partition {
  std::string queue, partition;
  partition_id id = 0;
  std::vector<message_view> messages;
  // deliveryAttempt of messages below `seen_below` is `attempt`, of the others
  // 1
  offset_t seen_below = 0;
  uint32_t attempt = 1;
};

struct pop_reply {
  std::vector<popped_partition> partitions; // empty: 204
  uuid lease_id;                            // nil: autoAck
  std::string group;
};

struct extend_reply {
  uint32_t renewed = 0;
  time_us expires_at = 0;
  std::string error;
};

// -- queues and reads ---------------------------------------------------------

struct configure_reply {
  queue_record queue;
};
struct delete_queue_reply {
  bool existed = false;
};

struct partition_counts {
  std::string name;
  partition_id id = 0;
  offset_t log_start = 0, next = 0;
  uint64_t pending = 0, processing = 0, completed = 0;
};
struct queue_summary {
  queue_record queue;
  uint64_t partitions = 0, messages = 0;
  uint64_t pending = 0, processing = 0, completed = 0, dead_letter = 0;
  std::vector<partition_counts> detail; // describe_queue only, at most 1000
};
struct list_queues_reply {
  std::vector<queue_summary> queues;
};
struct describe_queue_reply {
  std::optional<queue_summary> queue;
};

struct dead_letter_view {
  uuid id;
  std::string queue, partition;
  partition_id partition_number = 0;
  std::string transaction_id, group, error;
  uint32_t retry_count = 0;
  time_us failed_at = 0;
  std::string payload;
};
struct dead_letters_reply {
  std::vector<dead_letter_view> messages;
  uint64_t total = 0;
};

struct timer_view {
  std::string queue, timer_key, partition, txn;
  uuid message_id;
  time_us deliver_at = 0, created_at = 0;
  std::string payload;
  uint32_t attempts = 0;
  std::string last_error;
};
struct peek_timer_reply {
  std::optional<timer_view> timer;
};
struct list_timers_reply {
  std::vector<timer_view> rows;
  bool truncated = false;
  std::string next_after;
  uint64_t count = 0;
};

struct fetched_entry {
  std::string queue, partition;
  std::vector<message_view> records;
  offset_t high_watermark = 0, log_start = 0;
  std::string error; // empty: none
};
struct fetch_reply {
  std::vector<fetched_entry> entries;
};
struct fetched_offset {
  std::string queue, partition;
  offset_t offset = 0;
  std::string error;
};
struct fetch_offsets_reply {
  std::vector<fetched_offset> entries;
};

/// `error` is for what prevented a verdict: no_leader, timeout, overloaded,
/// storage_full, retry, internal.
using reply =
  std::variant<error, transaction_reply, pop_reply, extend_reply,
               configure_reply, delete_queue_reply, list_queues_reply,
               describe_queue_reply, dead_letters_reply, peek_timer_reply,
               list_timers_reply, fetch_reply, fetch_offsets_reply>;

/// Where an answer goes. Called from any actor's thread, at most once a
/// request; must not block.
class reply_port {
public:
  virtual ~reply_port() = default;
  virtual void deliver(uint64_t request, reply answer) = 0;
};

struct reply_to {
  std::shared_ptr<reply_port> port;
  uint64_t request = 0;

  void operator()(reply answer) const {
    if (port)
      port->deliver(request, std::move(answer));
  }
};

} // namespace queen::domain
