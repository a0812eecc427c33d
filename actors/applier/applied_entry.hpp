// What an applied entry did, for the actors that it touched. A follower makes
// it too and drops it.

#pragma once

#include "actors/domain/rows.hpp"

#include <optional>
#include <vector>

namespace queen::actors {

struct applied_append {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  domain::offset_t first = 0;
  domain::offset_t end = 0;
  domain::time_us created_at = 0;
  domain::block_ptr block; // null: the queue was erased, nothing was written
};

struct applied_partition { // came to life
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  std::string name;
};

struct applied_cursor {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  std::string group;
  domain::cursor_record cursor;
};

struct applied_group {
  domain::uuid tenant;
  domain::group_record group; // since_index is filled in
};

struct applied_kv {
  domain::uuid tenant;
  std::string ns, key;
  domain::version_t version = 0;
  std::optional<domain::kv_row> row; // none: erased
};

struct applied_timer {
  domain::uuid tenant;
  std::string queue, timer_key;
  domain::time_us due = 0; // 0: gone
};

struct applied_trim {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  domain::offset_t log_start = 0;
};

struct applied_entry {
  uint64_t index = 0;
  uint64_t term = 0;
  domain::uuid request_id;
  domain::time_us stamp = 0;
  // One for each append effect, in the effects' order, dropped ones too.
  std::vector<applied_append> appends;
  std::vector<domain::queue_record> queues; // written; not those left alone
  std::vector<domain::queue_id> erased_queues;
  std::vector<applied_partition> partitions;
  std::vector<applied_cursor> cursors;
  std::vector<applied_group> groups;
  std::vector<applied_kv> kv;
  std::vector<applied_timer> timers;
  std::vector<applied_trim> trims;
};

} // namespace queen::actors
