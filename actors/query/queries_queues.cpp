#include "actors/query/queries.hpp"

#include "actors/domain/rows.hpp"

#include <algorithm>
#include <map>

namespace queen::actors::queries {

using namespace domain;
using persistence::store;

namespace {

constexpr size_t detail_max = 1000; // partitions in one answer

template <class Visit>
void each(const store& from, const std::string& prefix, Visit visit) {
  auto rows = from.scan(prefix, key::prefix_end(prefix));
  for (rows->seek(prefix); rows->valid(); rows->next())
    if (!visit(rows->key(), rows->value()))
      return;
}

// What the slowest and the furthest group make of a partition.
struct progress {
  bool any = false;
  offset_t cursor = 0; // the lowest of the groups
  uint64_t out = 0;    // messages in live batches
};

std::map<partition_id, progress> progress_of(const store& from, queue_id queue,
                                             time_us now) {
  std::map<partition_id, progress> all;
  each(from, key::cursors_of_queue(queue), [&](auto row_key, auto value) {
    queue_id of = 0;
    partition_id partition = 0;
    std::string group;
    auto row = decode_cursor(value);
    if (!row || !key::parse_cursor(row_key, of, group, partition))
      return true;
    auto& p = all[partition];
    p.cursor = p.any ? std::min(p.cursor, row->cursor) : row->cursor;
    p.any = true;
    if (!row->lease_id.nil() && row->expires_at > now)
      p.out += row->batch_end - std::max(row->cursor, row->batch_start);
    return true;
  });
  return all;
}

queue_summary summary_of(const store& from, time_us now, queue_record record,
                         bool detailed) {
  queue_summary out;
  auto progress = progress_of(from, record.id, now);
  each(from, key::partitions_of(record.id), [&](auto row_key, auto value) {
    queue_id queue = 0;
    partition_counts counts;
    auto row = decode_partition(value);
    if (!row || !key::parse_partition(row_key, queue, counts.id))
      return true;
    counts.name = row->name;
    counts.log_start = row->log_start;
    counts.next = row->next;
    auto p = progress.find(counts.id);
    auto done = row->log_start;
    if (p != progress.end()) {
      done = std::clamp(p->second.cursor, row->log_start, row->next);
      counts.processing = p->second.out;
    }
    counts.completed = done - row->log_start;
    auto left = row->next - done;
    counts.pending = left - std::min<uint64_t>(left, counts.processing);
    ++out.partitions;
    out.messages += row->next - row->log_start;
    out.pending += counts.pending;
    out.processing += counts.processing;
    out.completed += counts.completed;
    if (detailed && out.detail.size() < detail_max)
      out.detail.push_back(std::move(counts));
    return true;
  });
  each(from, key::dead_letters_of(record.id), [&](auto, auto) {
    ++out.dead_letter;
    return true;
  });
  out.queue = std::move(record);
  return out;
}

} // namespace

queue_id queue_named(const store& from, const uuid& tenant,
                     const std::string& name) {
  auto row = from.get(key::queue(tenant, name));
  if (!row || !*row)
    return 0;
  auto record = decode_queue(**row);
  return record ? record->id : 0;
}

list_queues_reply run(const store& from, time_us now, const list_queues& what) {
  list_queues_reply out;
  each(from, key::queues_of(what.tenant), [&](auto, auto value) {
    if (auto record = decode_queue(value))
      out.queues.push_back(summary_of(from, now, std::move(*record), false));
    return true;
  });
  return out;
}

describe_queue_reply run(const store& from, time_us now,
                         const describe_queue& what) {
  describe_queue_reply out;
  auto row = from.get(key::queue(what.tenant, what.queue));
  if (row && *row)
    if (auto record = decode_queue(**row))
      out.queue = summary_of(from, now, std::move(*record), true);
  return out;
}

dead_letters_reply run(const store& from, const list_dead_letters& what) {
  dead_letters_reply out;
  std::vector<queue_record> queues;
  each(from, key::queues_of(what.tenant), [&](auto, auto value) {
    auto record = decode_queue(value);
    if (record && (!what.queue || *what.queue == record->name))
      queues.push_back(std::move(*record));
    return true;
  });
  for (auto& queue : queues)
    each(from, key::dead_letters_of(queue.id), [&](auto, auto value) {
      auto row = decode_dead_letter(value);
      if (!row || (what.group && *what.group != row->group))
        return true;
      auto position = out.total++;
      if (position < what.offset || out.messages.size() >= what.limit)
        return true;
      dead_letter_view view;
      view.id = row->id;
      view.queue = queue.name;
      view.partition = row->partition_name;
      view.partition_number = row->partition;
      view.transaction_id = row->transaction_id;
      view.group = row->group;
      view.error = row->error;
      view.retry_count = row->retries;
      view.failed_at = row->failed_at;
      view.payload = row->payload;
      out.messages.push_back(std::move(view));
      return true;
    });
  return out;
}

} // namespace queen::actors::queries
