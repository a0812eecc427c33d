// What clients ask for, after the edge has checked its shape: every 400 of the
// spec has already been answered, ids are minted, payloads are slices of the
// body. Commands are immutable once sent; many actors read them at once.

#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/queue_options.hpp"
#include "config/error.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace queen::domain {

// -- the parts of a transaction (spec/transaction.md) -------------------------

struct push_item {
  std::string queue;
  std::string partition{default_partition};
  std::string transaction_id; // the message id's text when the client gave none
  bool minted = false;        // true: transaction_id was absent
  uuid message_id;
  std::optional<uuid> trace_id;
  slice payload;            // JSON text as received
  std::string producer_sub; // empty: null on the wire
};

enum class ack_status : uint8_t { completed, failed, retry, dlq };

struct ack_item {
  std::string transaction_id;
  partition_id partition = 0; // 0: the text was no partition id, so unknown
  std::string group{queue_mode_group};
  std::optional<std::string> lease_id; // as sent; may be no UUID at all
  ack_status status = ack_status::completed;
  std::string error; // kept on a dead letter
};

enum class kv_op_kind : uint8_t {
  get,
  get_many,
  get_prefix,
  put,
  put_if_absent,
  erase,
  incr,
  check
};

/// A JSON number: exact while both sides are integers.
struct number {
  bool integral = true;
  int64_t whole = 0;
  double real = 0;
};

struct kv_op {
  kv_op_kind kind = kv_op_kind::get;
  std::string ns;
  std::string key;
  std::vector<std::string> keys; // get_many
  slice value;                   // put, put_if_absent: compact JSON text
  bool value_too_large = false;  // over the ceiling: a refusal at its turn
  uint32_t ttl_seconds = 0;      // 0: forever
  std::optional<version_t> expect;
  bool required = false;
  number delta;
  std::optional<number> min, max;
  // get_prefix
  std::string prefix, after;
  uint32_t limit = 100;
  bool keys_only = false;
};

enum class timer_op_kind : uint8_t { schedule, reschedule, cancel };

struct timer_op {
  timer_op_kind kind = timer_op_kind::schedule;
  std::string queue;
  std::string timer_key;
  std::string partition{default_partition};
  int64_t delay_us = 0;
  std::string txn; // schedule: the promised transactionId (the message id's
                   // text when absent); cancel: echoed
  uuid message_id; // promised id of the message
  slice payload;   // JSON text of the future message
  // Refusals at their turn, after acks, pushes and KV. A payload over the
  // ceiling is not carried.
  bool beyond_horizon = false;
  bool payload_too_large = false;
  /// From the wheel itself: the timer is due, its message is among the call's
  /// pushes. Never set by the edge.
  bool fire = false;
};

/// Which route a transaction came by: it decides how verdicts are read. Only
/// `transaction` is all-or-nothing for acks and duplicates; the others report
/// item by item.
enum class call_kind : uint8_t { transaction, push, ack, kv, timers };

struct transaction {
  uuid request_id; // resubmissions share it; the transactionId of the answer
  uuid tenant;
  call_kind kind = call_kind::transaction;
  std::vector<push_item> pushes;
  std::vector<ack_item> acks;
  std::vector<std::string> required_leases;
  std::vector<kv_op> kv;
  std::vector<timer_op> timers;
};

// -- pop, lease extend --------------------------------------------------------

enum class subscription_mode : uint8_t { from_new, all, timestamp };

struct pop {
  uuid request_id;
  uuid tenant;
  std::optional<std::string> queue; // absent: discovery by labels below
  std::optional<std::string> partition;
  std::string name_space, task;
  std::string group{queue_mode_group};
  uint32_t batch = 200;
  uint32_t partitions = 1;
  std::optional<uint32_t> lease_seconds; // absent: the queue's leaseTime
  bool wait = false;
  uint32_t timeout_ms = 30000;
  subscription_mode mode = subscription_mode::from_new;
  time_us from = 0; // mode timestamp
  bool auto_ack = false;
  bool conflation = false;
  bool autopilot = false;
};

struct extend_lease {
  uuid tenant;
  std::string lease_id; // as sent
  std::optional<uint32_t> seconds;
};

// -- queues -------------------------------------------------------------------

/// One option of configure: absent keeps (merge), reset is an explicit null.
struct option_change {
  std::string name; // wire name, known to be one of the table's
  bool reset = false;
  uint32_t number = 0; // booleans as 0 and 1
};

struct configure_queue {
  uuid tenant;
  std::string queue;
  bool replace = false;
  std::optional<std::string> name_space, task; // "" resets
  std::vector<option_change> options;
};

struct delete_queue {
  uuid tenant;
  std::string queue;
};
struct list_queues {
  uuid tenant;
};
struct describe_queue {
  uuid tenant;
  std::string queue;
};
struct list_dead_letters {
  uuid tenant;
  std::optional<std::string> queue, group;
  uint32_t limit = 100, offset = 0;
};

// -- reads --------------------------------------------------------------------

struct peek_timer {
  uuid tenant;
  std::string queue, timer_key;
};
struct list_timers {
  uuid tenant;
  std::string queue;
  std::string after;
  uint32_t limit = 100;
  bool count_only = false;
  std::string prefix; // count mode
};

struct fetch_entry {
  std::string queue, partition;
  offset_t offset = 0;
  uint32_t max_bytes = 1 << 20;
};
struct fetch {
  uuid tenant;
  std::vector<fetch_entry> entries;
  uint32_t max_wait_ms = 0;
  uint32_t min_bytes = 1;
};
struct fetch_offset_entry {
  std::string queue, partition;
  time_us at = 0;
};
struct fetch_offsets {
  uuid tenant;
  std::vector<fetch_offset_entry> entries;
};

using command =
  std::variant<transaction, pop, extend_lease, configure_queue, delete_queue,
               list_queues, describe_queue, list_dead_letters, peek_timer,
               list_timers, fetch, fetch_offsets>;

} // namespace queen::domain
