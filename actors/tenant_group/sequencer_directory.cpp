// How the sequencer finds the actors that a command concerns, and loads the
// ones that are not there.

#include "actors/domain/rows.hpp"
#include "actors/tenant_group/sequencer.hpp"

#include <caf/send.hpp>

namespace queen::actors {

namespace {

// The owners' cache only saves reads; it is dropped whole when it is full.
constexpr size_t owners_max = 65536;

} // namespace

queue_table::entry& sequencer::ensure_queue(const domain::uuid& tenant,
                                            const std::string& name) {
  if (auto there = queues_.find(tenant, name))
    return *there;
  auto& fresh = queues_.ensure(tenant, name, context_->now());
  announce(fresh);
  return fresh;
}

// Pops may be parked on the name of a queue that did not exist, and pops by
// labels on labels that it carries.
void sequencer::announce(const queue_table::entry& queue) {
  auto& record = queue.record;
  auto all = directory::group_key(record.tenant, record.name, "");
  for (auto& [key, g] : directory_.groups)
    if (key.compare(0, all.size(), all) == 0) {
      ++g.sent;
      self_->send(g.who, queue_is{record.id});
    }
  for (auto& d : discoveries_) {
    bool matches =
      d.what->tenant == record.tenant &&
      (d.what->name_space.empty() || d.what->name_space == record.name_space) &&
      (d.what->task.empty() || d.what->task == record.task);
    if (!matches || d.shared->done())
      continue;
    d.shared->join();
    serve(record.name, d.what, d.client, d.deadline, d.shared);
  }
}

queue_table::entry* sequencer::owner(const domain::uuid& tenant,
                                     domain::partition_id id) {
  auto known = owners_.find(id);
  if (known == owners_.end()) {
    auto row = context_->store->get(domain::key::owner(id));
    if (!row || !*row)
      return nullptr;
    auto queue = domain::decode_number(**row);
    if (!queue)
      return nullptr;
    if (owners_.size() >= owners_max)
      owners_.clear();
    known = owners_.emplace(id, *queue).first;
  }
  auto queue = queues_.by_id(known->second);
  return queue && queue->record.tenant == tenant ? queue : nullptr;
}

loaded_partition& sequencer::partition(const queue_table::entry& queue,
                                       const std::string& name) {
  auto key = directory::partition_key(queue.record.id, name);
  auto there = directory_.partitions.find(key);
  if (there != directory_.partitions.end())
    return there->second;
  partition_identity identity;
  identity.queue_id = queue.record.id;
  identity.queue = queue.record.name;
  identity.name = name;
  identity.key = key;
  if (queue.stored) {
    auto row = context_->store->get(
      domain::key::partition_by_name(queue.record.id, name));
    if (row && *row)
      if (auto id = domain::decode_number(**row)) {
        identity.id = *id;
        identity.stored = true;
      }
  }
  if (!identity.stored)
    identity.id = queues_.plan_partition();
  loaded_partition fresh;
  fresh.id = identity.id;
  fresh.who = self_->spawn<caf::monitored>(queen::actors::partition, context_,
                                           group_door{self_}, identity);
  directory_.partition_names[identity.id] = key;
  return directory_.partitions.emplace(key, std::move(fresh)).first->second;
}

loaded_partition* sequencer::partition(domain::queue_id queue_id,
                                       domain::partition_id id) {
  auto known = directory_.partition_names.find(id);
  if (known != directory_.partition_names.end())
    return &directory_.partitions.at(known->second);
  auto queue = queues_.by_id(queue_id);
  auto row = context_->store->get(domain::key::partition(queue_id, id));
  if (!queue || !row || !*row)
    return nullptr;
  auto partition_row = domain::decode_partition(**row);
  return partition_row ? &partition(*queue, partition_row->name) : nullptr;
}

loaded<lease_actor>& sequencer::lease(const queue_table::entry& queue,
                                      domain::partition_id id,
                                      const std::string& group) {
  auto key = directory::lease_key(id, group);
  auto there = directory_.leases.find(key);
  if (there != directory_.leases.end())
    return there->second;
  lease_identity identity;
  identity.queue_id = queue.record.id;
  identity.partition = id;
  identity.queue = queue.record.name;
  identity.group = group;
  identity.key = key;
  loaded<lease_actor> fresh;
  fresh.who = self_->spawn<caf::monitored>(
    queen::actors::lease, context_, group_door{self_}, std::move(identity));
  return directory_.leases.emplace(key, std::move(fresh)).first->second;
}

loaded<consumer_group_actor>& sequencer::group(const domain::uuid& tenant,
                                               const std::string& queue,
                                               const std::string& name) {
  auto key = directory::group_key(tenant, queue, name);
  auto there = directory_.groups.find(key);
  if (there != directory_.groups.end())
    return there->second;
  consumer_group_identity identity;
  identity.tenant = tenant;
  identity.queue = queue;
  identity.group = name;
  identity.key = key;
  if (auto known = queues_.find(tenant, queue)) {
    identity.queue_id = known->record.id;
    identity.queue_stored = known->stored;
  }
  loaded<consumer_group_actor> fresh;
  fresh.who = self_->spawn<caf::monitored>(
    consumer_group, context_, claim_router{self_}, std::move(identity));
  return directory_.groups.emplace(key, std::move(fresh)).first->second;
}

loaded<kv_actor>& sequencer::kv(const domain::uuid& tenant) {
  auto key = directory::kv_key(tenant);
  auto there = directory_.kvs.find(key);
  if (there != directory_.kvs.end())
    return there->second;
  loaded<kv_actor> fresh;
  fresh.who = self_->spawn<caf::monitored>(queen::actors::kv, context_,
                                           group_door{self_}, tenant, key);
  return directory_.kvs.emplace(key, std::move(fresh)).first->second;
}

void sequencer::sweep() {
  directory_.sweep([this](auto& who) { self_->send(who, wake{}); });
  self_->delayed_send(self_,
                      std::chrono::microseconds(
                        context_->limits.idle_unload_us / directory::sweeps),
                      queen::actors::sweep{});
}

void sequencer::offered(const offer_rest& offer) {
  auto tell = [this](const auto& who) {
    if (who)
      self_->send(*who, rest{});
  };
  switch (offer.key.empty() ? 0 : offer.key[0]) {
  case 'p': {
    auto i = directory_.partitions.find(offer.key);
    if (i == directory_.partitions.end() || i->second.sent != offer.served)
      return;
    self_->send(i->second.who, rest{});
    directory_.partition_names.erase(i->second.id);
    directory_.partitions.erase(i);
    return;
  }
  case 'l':
    return tell(directory::release(directory_.leases, offer.key, offer.served));
  case 'g':
    return tell(directory::release(directory_.groups, offer.key, offer.served));
  case 'k':
    return tell(directory::release(directory_.kvs, offer.key, offer.served));
  default:
    return;
  }
}

} // namespace queen::actors
