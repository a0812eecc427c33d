// Applying what is rare or large: timers, dead letters, retention and the end
// of a queue.

#include "actors/applier/applier_state.hpp"

#include <algorithm>

namespace queen::actors {

using namespace domain;

// -- timers -------------------------------------------------------------------

/// True when there was one.
result<bool> applier_state::remove_timer(const uuid& tenant,
                                         const std::string& queue,
                                         const std::string& timer_key) {
  auto row_key = key::timer(tenant, queue, timer_key);
  auto row = rows_.get(row_key);
  if (!row)
    return row.reason();
  if (!*row)
    return false;
  auto old = decode_timer(**row);
  if (!old)
    return old.reason();
  rows_.erase_unread(key::timer_due(old->deliver_at, tenant, queue, timer_key));
  rows_.erase(row_key);
  return true;
}

result<void> applier_state::on(context& now, const put_timer& what) {
  const auto& timer = what.timer;
  auto replaced = remove_timer(what.tenant, timer.queue, timer.timer_key);
  if (!replaced)
    return replaced.reason();
  rows_.put(key::timer(what.tenant, timer.queue, timer.timer_key),
            encode(timer));
  rows_.put_unread(
    key::timer_due(timer.deliver_at, what.tenant, timer.queue, timer.timer_key),
    "");
  now.out.timers.push_back(
    {what.tenant, timer.queue, timer.timer_key, timer.deliver_at});
  return {};
}

result<void> applier_state::on(context& now, const erase_timer& what) {
  auto removed = remove_timer(what.tenant, what.queue, what.timer_key);
  if (!removed)
    return removed.reason();
  if (*removed)
    now.out.timers.push_back({what.tenant, what.queue, what.timer_key, 0});
  return {};
}

result<void> applier_state::on(context& now,
                               const file_timer_dead_letter& what) {
  const auto& timer = what.timer;
  auto removed = remove_timer(what.tenant, timer.queue, timer.timer_key);
  if (!removed)
    return removed.reason();
  if (*removed)
    now.out.timers.push_back({what.tenant, timer.queue, timer.timer_key, 0});
  queue_id queue = now.actual_queue(what.queue);
  auto address = queue_address(queue);
  if (!address)
    return address.reason();
  if (!*address)
    return {}; // a dead letter goes with its queue
  auto partition = number(key::partition_by_name(queue, timer.partition));
  if (!partition)
    return partition.reason();
  dead_letter_row row;
  row.id = what.id;
  row.partition = partition->value_or(0);
  row.partition_name = timer.partition;
  row.group = timer_group;
  row.transaction_id = timer.txn;
  row.error = timer.last_error;
  row.message_id = timer.message_id;
  row.retries = timer.attempts;
  row.failed_at = now.out.stamp;
  row.payload = timer.payload.view;
  rows_.put_unread(key::dead_letter(queue, what.id), encode(row));
  return {};
}

// -- dead letters -------------------------------------------------------------

result<void> applier_state::on(context& now, const file_dead_letter& what) {
  auto found = find_head(what.queue, what.partition);
  if (!found)
    return found.reason();
  if (!*found)
    return {}; // erased while this entry was on its way
  dead_letter_row dead;
  dead.id = what.id;
  dead.partition = what.partition;
  dead.partition_name = (*found)->row.name;
  dead.group = what.group;
  dead.error = what.error;
  dead.retries = what.retries;
  dead.failed_at = now.out.stamp;
  // What retention took before this entry is filed without its content.
  dead.payload = "null";
  auto prefix = key::appends_of(what.queue, what.partition);
  auto rows = rows_.store().scan(prefix, key::prefix_end(prefix));
  rows->seek_for_prev(key::append(what.queue, what.partition, what.offset));
  if (rows->valid()) {
    queue_id queue;
    partition_id partition;
    offset_t first;
    if (!key::parse_append(rows->key(), queue, partition, first))
      return error{errc::damaged, "key of an append row"};
    auto block = append_block::parse(
      std::make_shared<const std::string>(rows->value()), first);
    if (!block)
      return block.reason();
    if (what.offset < (*block)->end()) {
      auto message =
        append_block::view(*block, static_cast<uint32_t>(what.offset - first));
      dead.transaction_id = message.transaction_id;
      dead.message_id = message.message_id;
      dead.payload = message.payload;
    }
  }
  if (auto read = rows->status(); !read)
    return read;
  rows_.put_unread(key::dead_letter(what.queue, what.id), encode(dead));
  return {};
}

// -- the ends of things -------------------------------------------------------

result<void> applier_state::on(context& now, const trim_partition& what) {
  auto found = find_head(what.queue, what.partition);
  if (!found)
    return found.reason();
  if (!*found)
    return {};
  auto& row = (*found)->row;
  offset_t upto = std::min(what.upto, row.next);
  if (upto <= row.log_start)
    return {};
  // The row that holds `upto` stays whole. At the head there is none.
  offset_t keep_from = upto;
  if (upto < row.next) {
    auto prefix = key::appends_of(what.queue, what.partition);
    auto rows = rows_.store().scan(prefix, key::prefix_end(prefix));
    rows->seek_for_prev(key::append(what.queue, what.partition, upto));
    queue_id queue;
    partition_id partition;
    if (rows->valid() &&
        !key::parse_append(rows->key(), queue, partition, keep_from))
      return error{errc::damaged, "key of an append row"};
    if (auto read = rows->status(); !read)
      return read;
  }
  rows_.erase_range_unread(key::append(what.queue, what.partition, 0),
                           key::append(what.queue, what.partition, keep_from));
  row.log_start = upto;
  heads_.mark_changed(**found);
  now.out.trims.push_back({what.queue, what.partition, upto});
  return {};
}

result<void> applier_state::on(context& now, const erase_queue& what) {
  auto record_key = key::queue(what.tenant, what.name);
  auto record = rows_.get(record_key);
  if (!record)
    return record.reason();
  // The name may belong to a younger queue by now, with all that is kept by
  // name.
  bool named = true;
  if (*record) {
    auto queue = decode_queue(**record);
    if (!queue)
      return queue.reason();
    named = queue->id == what.queue;
  }
  // Rows that lie under other ids than the queue's are found through its own.
  auto partitions =
    rows_.each(key::partitions_of(what.queue),
               [&](std::string_view row_key, std::string_view) {
                 queue_id queue;
                 partition_id partition;
                 if (key::parse_partition(row_key, queue, partition))
                   rows_.erase_unread(key::owner(partition));
               });
  if (!partitions)
    return partitions;
  heads_.forget_queue(what.queue, [&](const head& which) {
    rows_.erase_unread(key::owner(which.partition));
  });
  auto leases =
    rows_.each(key::cursors_of_queue(what.queue),
               [&](std::string_view row_key, std::string_view value) {
                 queue_id queue;
                 std::string group;
                 partition_id partition;
                 auto cursor = decode_cursor(value);
                 if (key::parse_cursor(row_key, queue, group, partition) &&
                     cursor && !cursor->lease_id.nil())
                   rows_.erase_unread(key::lease(cursor->lease_id, partition));
               });
  if (!leases)
    return leases;
  if (named)
    if (auto erased = erase_named(now, what); !erased)
      return erased;
  for (const auto& prefix :
       {key::partitions_of(what.queue), key::partition_names_of(what.queue),
        key::appends_of_queue(what.queue), key::cursors_of_queue(what.queue),
        key::dead_letters_of(what.queue)})
    rows_.erase_prefix(prefix);
  rows_.erase(key::queue_by_id(what.queue));
  now.out.erased_queues.push_back(what.queue);
  return {};
}

/// The rows that bear the queue's name instead of its id.
result<void> applier_state::erase_named(context& now, const erase_queue& what) {
  auto due = rows_.each(
    key::timers_of(what.tenant, what.name),
    [&](std::string_view row_key, std::string_view value) {
      uuid tenant;
      std::string queue, timer_key;
      auto timer = decode_timer(value);
      if (!key::parse_timer(row_key, tenant, queue, timer_key) || !timer)
        return;
      rows_.erase_unread(
        key::timer_due(timer->deliver_at, tenant, queue, timer_key));
      now.out.timers.push_back({tenant, queue, timer_key, 0});
    });
  if (!due)
    return due;
  rows_.erase_prefix(key::groups_of(what.tenant, what.name));
  rows_.erase_prefix(key::timers_of(what.tenant, what.name));
  rows_.erase(key::queue(what.tenant, what.name));
  return {};
}

} // namespace queen::actors
