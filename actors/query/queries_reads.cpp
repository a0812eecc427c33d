#include "actors/query/queries.hpp"

#include "actors/partition/block_reader.hpp"

#include <algorithm>

namespace queen::actors::queries {

using namespace domain;
using persistence::store;

namespace {

timer_view view_of(const timer_record& row) {
  timer_view out;
  out.queue = row.queue;
  out.timer_key = row.timer_key;
  out.partition = row.partition;
  out.txn = row.txn;
  out.message_id = row.message_id;
  out.deliver_at = row.deliver_at;
  out.created_at = row.created_at;
  out.payload = row.payload.view;
  out.attempts = row.attempts;
  out.last_error = row.last_error;
  return out;
}

// Where a named partition is; the error says what does not exist.
// In the words of spec/messages.md, Reads by offset.
constexpr const char* unknown = "UNKNOWN_TOPIC_OR_PARTITION";
constexpr const char* out_of_range = "OFFSET_OUT_OF_RANGE";

struct located {
  queue_id queue = 0;
  partition_id partition = 0;
  partition_row row;
  std::string error;
};

located locate(const store& from, const uuid& tenant, const std::string& queue,
               const std::string& partition) {
  located out;
  out.queue = queue_named(from, tenant, queue);
  out.error = unknown;
  if (out.queue == 0)
    return out;
  auto id = from.get(key::partition_by_name(out.queue, partition));
  if (!id || !*id)
    return out;
  auto number = decode_number(**id);
  if (!number)
    return out;
  out.partition = *number;
  auto row = stored_blocks{from, out.queue, out.partition}.row();
  if (!row)
    return out;
  out.row = std::move(*row);
  out.error.clear();
  return out;
}

} // namespace

peek_timer_reply run(const store& from, const peek_timer& what) {
  peek_timer_reply out;
  auto row = from.get(key::timer(what.tenant, what.queue, what.timer_key));
  if (row && *row)
    if (auto record = decode_timer(**row))
      out.timer = view_of(*record);
  return out;
}

list_timers_reply run(const store& from, const list_timers& what) {
  list_timers_reply out;
  auto all = key::timers_of(what.tenant, what.queue);
  auto rows = from.scan(all, key::prefix_end(all));
  auto begin = what.count_only ? what.prefix : what.after;
  for (rows->seek(key::timer(what.tenant, what.queue, begin)); rows->valid();
       rows->next()) {
    uuid tenant;
    std::string queue, timer_key;
    if (!key::parse_timer(rows->key(), tenant, queue, timer_key))
      continue;
    if (what.count_only) {
      if (timer_key.compare(0, what.prefix.size(), what.prefix) != 0)
        break;
      ++out.count;
      continue;
    }
    if (!what.after.empty() && timer_key <= what.after)
      continue;
    if (out.rows.size() == what.limit) {
      out.truncated = true;
      out.next_after = out.rows.back().timer_key;
      break;
    }
    if (auto record = decode_timer(rows->value()))
      out.rows.push_back(view_of(*record));
  }
  return out;
}

fetch_offsets_reply run(const store& from, const fetch_offsets& what) {
  fetch_offsets_reply out;
  for (auto& entry : what.entries) {
    fetched_offset got;
    got.queue = entry.queue;
    got.partition = entry.partition;
    auto at = locate(from, what.tenant, entry.queue, entry.partition);
    got.error = at.error;
    if (at.error.empty()) {
      stored_blocks blocks{from, at.queue, at.partition};
      got.offset = first_offset_where(
        at.row.log_start, at.row.next,
        [&](offset_t offset) { return blocks.holding(offset); },
        [&](auto& block) { return block.created_at() >= entry.at; });
    }
    out.entries.push_back(std::move(got));
  }
  return out;
}

fetch_reply run(const store& from, const fetch& what, uint64_t& bytes) {
  fetch_reply out;
  bytes = 0;
  for (auto& entry : what.entries) {
    fetched_entry got;
    got.queue = entry.queue;
    got.partition = entry.partition;
    auto at = locate(from, what.tenant, entry.queue, entry.partition);
    got.error = at.error;
    got.high_watermark = at.row.next;
    got.log_start = at.row.log_start;
    if (at.error.empty() &&
        (entry.offset < at.row.log_start || entry.offset > at.row.next))
      got.error = out_of_range;
    if (got.error.empty()) {
      uint64_t taken = 0; // of this entry; one record always goes
      stored_blocks blocks{from, at.queue, at.partition};
      blocks.forward(entry.offset, [&](const block_ptr& block) {
        auto first = std::max(entry.offset, block->first());
        for (auto offset = first; offset < block->end(); ++offset) {
          auto view = append_block::view(
            block, static_cast<uint32_t>(offset - block->first()));
          auto weight = view.payload.size() + view.transaction_id.size();
          if (!got.records.empty() && taken + weight > entry.max_bytes)
            return false;
          taken += weight;
          got.records.push_back(std::move(view));
        }
        return true;
      });
      bytes += taken;
    }
    out.entries.push_back(std::move(got));
  }
  return out;
}

} // namespace queen::actors::queries
