#include "actors/tenant_group/queue_table.hpp"

#include <algorithm>

namespace queen::actors {

namespace {

// The lease time of a queue that configure created (spec/messages.md, Queues).
constexpr uint32_t configured_lease_time = 300;

} // namespace

bool set_option(domain::queue_options& o, const domain::option_change& c,
                const domain::queue_options& d) {
#define NUMBER(wire, field)                                                    \
  if (c.name == wire) {                                                        \
    o.field = c.reset ? d.field : c.number;                                    \
    return true;                                                               \
  }
#define SWITCH(wire, field)                                                    \
  if (c.name == wire) {                                                        \
    o.field = c.reset ? d.field : c.number != 0;                               \
    return true;                                                               \
  }
  NUMBER("leaseTime", lease_time)
  NUMBER("retryLimit", retry_limit)
  SWITCH("deadLetterQueue", dead_letter_queue)
  SWITCH("dlqAfterMaxRetries", dlq_after_max_retries)
  NUMBER("dedupWindowSeconds", dedup_window_seconds)
  NUMBER("delayedProcessing", delayed_processing)
  NUMBER("windowBuffer", window_buffer)
  SWITCH("retentionEnabled", retention_enabled)
  NUMBER("retentionSeconds", retention_seconds)
  NUMBER("completedRetentionSeconds", completed_retention_seconds)
  NUMBER("maxWaitTimeSeconds", max_wait_time_seconds)
  SWITCH("encryptionEnabled", encryption_enabled)
  NUMBER("priority", priority)
  NUMBER("retryDelay", retry_delay)
  NUMBER("ttl", ttl)
  NUMBER("maxSize", max_size)
  NUMBER("minPopWaitTime", min_pop_wait_time)
#undef NUMBER
#undef SWITCH
  return false;
}

void queue_table::load(domain::queue_record record) {
  ids_[record.id] = {record.tenant, record.name};
  next_queue_ = std::max(next_queue_, record.id + 1);
  auto& tenant = queues_[record.tenant];
  auto name = record.name;
  tenant[name] = {std::move(record), true};
}

void queue_table::set_next_ids(domain::queue_id queue,
                               domain::partition_id partition) {
  next_queue_ = std::max(next_queue_, queue);
  next_partition_ = std::max(next_partition_, partition);
}

queue_table::entry* queue_table::find(const domain::uuid& tenant,
                                      std::string_view name) {
  auto t = queues_.find(tenant);
  if (t == queues_.end())
    return nullptr;
  auto i = t->second.find(name);
  return i == t->second.end() ? nullptr : &i->second;
}

queue_table::entry* queue_table::by_id(domain::queue_id id) {
  auto i = ids_.find(id);
  if (i == ids_.end())
    return nullptr;
  return find(i->second.first, i->second.second);
}

queue_table::entry& queue_table::ensure(const domain::uuid& tenant,
                                        const std::string& name,
                                        domain::time_us now) {
  if (auto there = find(tenant, name))
    return *there;
  entry e;
  e.record.id = next_queue_++;
  e.record.tenant = tenant;
  e.record.name = name;
  e.record.created_at = now;
  domain::label_from_name(e.record);
  ids_[e.record.id] = {tenant, name};
  return queues_[tenant][name] = std::move(e);
}

queue_table::entry& queue_table::configure(const domain::configure_queue& c,
                                           domain::time_us now) {
  bool fresh = find(c.tenant, c.queue) == nullptr;
  auto& e = ensure(c.tenant, c.queue, now);
  domain::queue_options defaults;
  defaults.lease_time = configured_lease_time;
  if (fresh || c.replace)
    e.record.options = defaults;
  if (fresh && (c.name_space || c.task))
    e.record.name_space = e.record.task = "";
  if (c.replace && !fresh) {
    e.record.name_space = e.record.task = "";
    domain::label_from_name(e.record);
  }
  if (c.name_space)
    e.record.name_space = *c.name_space;
  if (c.task)
    e.record.task = *c.task;
  for (auto& change : c.options)
    set_option(e.record.options, change, defaults);
  return e;
}

void queue_table::stored(domain::queue_id id) {
  if (auto e = by_id(id))
    e->stored = true;
}

bool queue_table::erase(const domain::uuid& tenant, std::string_view name) {
  auto e = find(tenant, name);
  if (!e)
    return false;
  ids_.erase(e->record.id);
  auto& all = queues_[tenant];
  all.erase(all.find(name));
  return true;
}

std::vector<const queue_table::entry*>
queue_table::of(const domain::uuid& tenant) const {
  return labelled(tenant, "", "");
}

std::vector<const queue_table::entry*>
queue_table::labelled(const domain::uuid& tenant, std::string_view name_space,
                      std::string_view task) const {
  std::vector<const entry*> out;
  auto t = queues_.find(tenant);
  if (t == queues_.end())
    return out;
  for (auto& [name, e] : t->second)
    if ((name_space.empty() || e.record.name_space == name_space) &&
        (task.empty() || e.record.task == task))
      out.push_back(&e);
  return out;
}

} // namespace queen::actors
