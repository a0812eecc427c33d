// Keys and values of the state store: the only place that knows their bytes.
// docs/data.md draws them. Keys sort as their fields do (big-endian numbers,
// escaped strings where another field follows); each table is one first byte.
//
//   table        key                                    value
//   meta         'M' name                               bytes
//   queue        'Q' tenant name                        queue_record
//   queue by id  'q' queue                              tenant, name
//   partition    'P' queue partition                    partition_row
//   by name      'n' queue name                         partition
//   owner        'o' partition                          queue
//   append       'a' queue partition first_offset       append_row
//   cursor       'c' queue group partition              cursor_record
//   lease        'l' lease_id partition                 queue, group, tenant
//   group        'g' tenant queue-name group            group_record
//   dead letter  'd' queue dead_letter_id               dead_letter_row
//   kv           'k' tenant ns key                      kv_row
//   kv version   'v' tenant                             last version
//   timer        't' tenant queue-name timer_key        timer_record
//   timer due    'u' deliver_at tenant queue timer_key  (empty)
//   outcome      reserved: 'r'

#pragma once

#include "actors/domain/effects.hpp"
#include "actors/domain/replies.hpp"

#include <functional>

namespace queen::domain {

/// What a partition is when nobody has loaded it.
struct partition_row {
  std::string name;
  offset_t log_start = 0;  // the oldest retained offset
  offset_t next = 0;       // the offset that the next message gets
  time_us last_at = 0;     // createdAt of the newest message: monotone
  uint64_t last_index = 0; // raft index of the newest append

  bool operator==(const partition_row&) const = default;
};

struct dead_letter_row {
  uuid id;
  partition_id partition = 0;
  std::string partition_name, group, transaction_id, error;
  uuid message_id;
  uint32_t retries = 0;
  time_us failed_at = 0;
  std::string payload;

  bool operator==(const dead_letter_row&) const = default;
};

struct kv_row {
  std::string value; // JSON text
  version_t version = 0;
  time_us expires_at = 0;
  time_us created_at = 0, updated_at = 0;

  bool operator==(const kv_row&) const = default;
};

/// One append: the messages that one entry put into one partition. The header
/// and the ids' hashes stand first, so an index can be built without touching
/// payloads. Parsed lazily: the object holds the row's bytes and offsets in it.
class append_block {
public:
  /// Errors: damaged. The block shares `bytes`.
  static result<std::shared_ptr<const append_block>>
  parse(std::shared_ptr<const std::string> bytes, offset_t first);

  offset_t first() const { return first_; }
  uint32_t count() const { return static_cast<uint32_t>(records_.size()); }
  offset_t end() const { return first_ + count(); }
  time_us created_at() const { return created_at_; } // of all its messages
  uint64_t index() const { return index_; }          // raft index of the entry
  uint64_t hash(uint32_t i) const; // id_hash of the transaction id
  std::string_view transaction_id(uint32_t i) const;
  size_t bytes() const { return bytes_->size(); }
  /// `self` keeps the views alive.
  static message_view view(const std::shared_ptr<const append_block>& self,
                           uint32_t i);

private:
  std::shared_ptr<const std::string> bytes_;
  offset_t first_ = 0;
  time_us created_at_ = 0;
  uint64_t index_ = 0;
  struct record {
    uint32_t position; // in bytes_
    uint32_t minted;   // index into minted_ids_, or own_id
  };
  static constexpr uint32_t own_id = UINT32_MAX;
  std::vector<record> records_;
  // Texts of minted ids are made when the block is parsed, not stored.
  std::vector<uuid_text> minted_ids_;
};
using block_ptr = std::shared_ptr<const append_block>;

std::string encode_append_row(const append& what, time_us created_at,
                              uint64_t index);

std::string encode(const queue_record&);
std::string encode(const partition_row&);
std::string encode(const cursor_record&);
std::string encode(const group_record&);
std::string encode(const dead_letter_row&);
std::string encode(const kv_row&);
std::string encode(const timer_record&);
result<queue_record> decode_queue(std::string_view);
result<partition_row> decode_partition(std::string_view);
result<cursor_record> decode_cursor(std::string_view);
result<group_record> decode_group(std::string_view);
result<dead_letter_row> decode_dead_letter(std::string_view);
result<kv_row> decode_kv(std::string_view);
result<timer_record> decode_timer(std::string_view);

// -- keys ---------------------------------------------------------------------

namespace key {
std::string meta(std::string_view name);
std::string queue(const uuid& tenant, std::string_view name);
std::string all_queues();                  // prefix
std::string queues_of(const uuid& tenant); // prefix
std::string queue_by_id(queue_id);
std::string partition(queue_id, partition_id);
std::string partitions_of(queue_id); // prefix
std::string partition_by_name(queue_id, std::string_view name);
std::string partition_names_of(queue_id); // prefix
std::string owner(partition_id);
std::string append(queue_id, partition_id, offset_t first);
std::string appends_of(queue_id, partition_id); // prefix
std::string appends_of_queue(queue_id);         // prefix
std::string cursor(queue_id, std::string_view group, partition_id);
std::string cursors_of(queue_id, std::string_view group); // prefix
std::string cursors_of_queue(queue_id);                   // prefix
std::string lease(const uuid& lease_id, partition_id);
std::string leases_of(const uuid& lease_id); // prefix
std::string group(const uuid& tenant, std::string_view queue,
                  std::string_view group);
std::string groups_of(const uuid& tenant, std::string_view queue); // prefix
std::string dead_letter(queue_id, const uuid& id);
std::string dead_letters_of(queue_id); // prefix
std::string kv(const uuid& tenant, std::string_view ns, std::string_view key);
std::string kv_of(const uuid& tenant, std::string_view ns); // prefix
std::string kv_version(const uuid& tenant);
std::string timer(const uuid& tenant, std::string_view queue,
                  std::string_view key);
std::string timers_of(const uuid& tenant, std::string_view queue); // prefix
std::string timer_due(time_us at, const uuid& tenant, std::string_view queue,
                      std::string_view key);
std::string timers_due(); // prefix
/// Where the timers begin that are due at `at` or later.
std::string timers_due_from(time_us at);
/// The end of the range that a prefix covers.
std::string prefix_end(std::string_view prefix);

// Back again; false when the key is not of that table.
bool parse_partition(std::string_view key, queue_id&, partition_id&);
bool parse_append(std::string_view key, queue_id&, partition_id&,
                  offset_t& first);
bool parse_cursor(std::string_view key, queue_id&, std::string& group,
                  partition_id&);
bool parse_lease(std::string_view key, uuid&, partition_id&);
bool parse_queue(std::string_view key, uuid& tenant, std::string& name);
bool parse_group(std::string_view key, uuid& tenant, std::string& queue,
                 std::string& group);
bool parse_kv(std::string_view key, uuid& tenant, std::string& ns,
              std::string& key_text);
bool parse_timer(std::string_view key, uuid& tenant, std::string& queue,
                 std::string& timer_key);
bool parse_timer_due(std::string_view key, time_us&, uuid& tenant,
                     std::string& queue, std::string& timer_key);
} // namespace key

struct lease_row {
  queue_id queue = 0;
  std::string group;
  uuid tenant;

  bool operator==(const lease_row&) const = default;
};
std::string encode(const lease_row&);
result<lease_row> decode_lease(std::string_view);

/// Value of `queue by id`: under which key the record stands.
struct queue_address {
  uuid tenant;
  std::string name;

  bool operator==(const queue_address&) const = default;
};
std::string encode(const queue_address&);
result<queue_address> decode_queue_address(std::string_view);

/// Values that are one number: `by name`, `owner`, `kv version`, counters.
std::string encode_number(uint64_t);
result<uint64_t> decode_number(std::string_view);

} // namespace queen::domain
