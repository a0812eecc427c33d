#include "actors/applier/applier_state.hpp"

#include "actors/domain/field_codec.hpp"
#include "config/ensure.hpp"

#include <algorithm>

namespace queen::actors {

using namespace domain;

namespace {

constexpr const char* applied_row = "applied";
constexpr uint8_t applied_version = 1;

/// Effects that read or scan rows which the batch hides from reads.
bool needs_written_rows(const effect& what) {
  return std::holds_alternative<file_dead_letter>(what) ||
         std::holds_alternative<erase_queue>(what) ||
         std::holds_alternative<trim_partition>(what);
}

template <class Id>
Id alias_of(const std::vector<std::pair<Id, Id>>& aliases, Id planned) {
  for (const auto& [from, to] : aliases)
    if (from == planned)
      return to;
  return planned;
}

} // namespace

applier_state::applier_state(persistence::store& store, size_t head_capacity)
  : rows_(store), heads_(head_capacity) {}

queue_id applier_state::context::actual_queue(queue_id planned) const {
  return alias_of(queue_aliases, planned);
}

partition_id
applier_state::context::actual_partition(partition_id planned) const {
  return alias_of(partition_aliases, planned);
}

// -- where the store stands ---------------------------------------------------

result<void> applier_state::load() {
  auto row = rows_.get(key::meta(applied_row));
  if (!row)
    return row.reason();
  if (*row) {
    field_reader in{**row};
    uint8_t version = in.byte();
    if (in.good() && version > applied_version)
      return error{errc::format_newer,
                   "applied row of version " + std::to_string(version)};
    applied_.index = in.fixed<uint64_t>();
    applied_.term = in.fixed<uint64_t>();
    in(applied_.stamp);
    if (!in.done() || version != applied_version)
      return error{errc::damaged, "applied row"};
  }
  written_ = applied_;
  if (auto loaded = load_counter(next_queue_); !loaded)
    return loaded;
  return load_counter(next_partition_);
}

result<void> applier_state::load_counter(counter& which) {
  auto value = number(key::meta(which.name));
  if (!value)
    return value.reason();
  which.value = value->value_or(1);
  return {};
}

void applier_state::saw(counter& which, uint64_t id) {
  if (id < which.value)
    return;
  which.value = id + 1;
  which.changed = true;
}

// -- entries ------------------------------------------------------------------

result<applied_entry> applier_state::apply(uint64_t index, uint64_t term,
                                           const log_entry& entry) {
  applied_entry out;
  out.index = index;
  out.term = term;
  out.request_id = entry.request_id;
  out.stamp = entry.stamp;
  if (index <= applied_.index)
    return out;
  // Earlier entries are written before this one begins: a write in its middle
  // would split it from its index.
  if (std::any_of(entry.effects.begin(), entry.effects.end(),
                  needs_written_rows))
    if (auto written = commit(); !written)
      return written.reason();
  context now{out, {}, {}};
  for (const auto& what : entry.effects) {
    auto done =
      std::visit([&](const auto& value) { return on(now, value); }, what);
    if (!done)
      return done.reason();
  }
  applied_ = {index, term, std::max(applied_.stamp, entry.stamp)};
  return out;
}

void applier_state::pass(uint64_t index, uint64_t term) {
  if (index <= applied_.index)
    return;
  applied_.index = index;
  applied_.term = term;
}

result<void> applier_state::commit() {
  if (applied_.index == written_.index)
    return {};
  heads_.take_changed([&](const head& which) {
    rows_.put_unread(key::partition(which.queue, which.partition),
                     encode(which.row));
  });
  for (counter* which : {&next_queue_, &next_partition_})
    if (std::exchange(which->changed, false))
      rows_.put_unread(key::meta(which->name), encode_number(which->value));
  field_writer row{25};
  row.byte(applied_version);
  row.fixed(applied_.index);
  row.fixed(applied_.term);
  row(applied_.stamp);
  rows_.put_unread(key::meta(applied_row), row.done());
  if (auto written = rows_.write(); !written)
    return written;
  written_ = applied_;
  heads_.trim();
  return {};
}

// -- rows that several effects read -------------------------------------------

result<applier_state::head*> applier_state::find_head(queue_id queue,
                                                      partition_id partition) {
  if (head* known = heads_.find(queue, partition))
    return known;
  auto row = rows_.get(key::partition(queue, partition));
  if (!row)
    return row.reason();
  if (!*row)
    return static_cast<head*>(nullptr);
  auto decoded = decode_partition(**row);
  if (!decoded)
    return decoded.reason();
  return &heads_.add(queue, partition, std::move(*decoded));
}

result<uuid> applier_state::tenant_of(head& which) {
  if (which.tenant.nil()) {
    auto address = queue_address(which.queue);
    if (!address)
      return address.reason();
    if (!*address)
      return error{errc::damaged,
                   "queue " + std::to_string(which.queue) + " has no address"};
    which.tenant = (*address)->tenant;
  }
  return which.tenant;
}

result<std::optional<queue_address>>
applier_state::queue_address(queue_id queue) {
  auto row = rows_.get(key::queue_by_id(queue));
  if (!row)
    return row.reason();
  if (!*row)
    return std::optional<domain::queue_address>{};
  auto decoded = decode_queue_address(**row);
  if (!decoded)
    return decoded.reason();
  return std::optional{std::move(*decoded)};
}

result<std::optional<uint64_t>> applier_state::number(const std::string& key) {
  auto row = rows_.get(key);
  if (!row)
    return row.reason();
  if (!*row)
    return std::optional<uint64_t>{};
  auto decoded = decode_number(**row);
  if (!decoded)
    return decoded.reason();
  return std::optional{*decoded};
}

// -- queues and partitions ----------------------------------------------------

result<void> applier_state::on(context& now, const put_queue& what) {
  const auto& queue = what.queue;
  saw(next_queue_, queue.id);
  auto record_key = key::queue(queue.tenant, queue.name);
  if (what.ensure) {
    auto row = rows_.get(record_key);
    if (!row)
      return row.reason();
    if (*row) {
      auto existing = decode_queue(**row);
      if (!existing)
        return existing.reason();
      if (existing->id != queue.id)
        now.queue_aliases.emplace_back(queue.id, existing->id);
      return {};
    }
  }
  rows_.put(record_key, encode(queue));
  rows_.put(key::queue_by_id(queue.id),
            encode(domain::queue_address{queue.tenant, queue.name}));
  now.out.queues.push_back(queue);
  return {};
}

result<void> applier_state::on(context& now, const ensure_partition& what) {
  saw(next_partition_, what.partition);
  queue_id queue = now.actual_queue(what.queue);
  auto known = find_head(queue, what.partition);
  if (!known)
    return known.reason();
  if (*known)
    return {};
  auto address = queue_address(queue);
  if (!address)
    return address.reason();
  if (!*address)
    return {}; // erased while this entry was on its way
  auto name_key = key::partition_by_name(queue, what.name);
  auto existing = number(name_key);
  if (!existing)
    return existing.reason();
  if (*existing) {
    now.partition_aliases.emplace_back(what.partition, **existing);
    return {};
  }
  partition_row row;
  row.name = what.name;
  heads_.mark_changed(heads_.add(queue, what.partition, std::move(row)));
  rows_.put(name_key, encode_number(what.partition));
  rows_.put_unread(key::owner(what.partition), encode_number(queue));
  now.out.partitions.push_back({queue, what.partition, what.name});
  return {};
}

result<void> applier_state::on(context& now, const domain::append& what) {
  applied_append done;
  done.queue = now.actual_queue(what.queue);
  done.partition = now.actual_partition(what.partition);
  auto found = find_head(done.queue, done.partition);
  if (!found)
    return found.reason();
  if (!*found || what.messages.empty()) {
    if (*found) {
      done.first = done.end = (*found)->row.next;
    } else {
      // Its queue was erased while this entry was on its way. A partition
      // that is missing in a queue that exists is another matter.
      auto address = queue_address(done.queue);
      if (!address)
        return address.reason();
      if (*address)
        return error{errc::damaged, "append to partition " +
                                      std::to_string(done.partition) +
                                      ", which has no row"};
    }
    now.out.appends.push_back(std::move(done));
    return {};
  }
  auto& row = (*found)->row;
  done.first = row.next;
  done.end = row.next + what.messages.size();
  done.created_at = std::max(now.out.stamp, row.last_at);
  auto bytes = std::make_shared<const std::string>(
    encode_append_row(what, done.created_at, now.out.index));
  rows_.put_unread(key::append(done.queue, done.partition, done.first), *bytes);
  row.next = done.end;
  row.last_at = done.created_at;
  row.last_index = now.out.index;
  heads_.mark_changed(**found);
  auto block = append_block::parse(std::move(bytes), done.first);
  ENSURE(block); // these bytes were made a line ago
  done.block = std::move(*block);
  now.out.appends.push_back(std::move(done));
  return {};
}

// -- consumers ----------------------------------------------------------------

result<void> applier_state::on(context& now, const put_cursor& what) {
  auto found = find_head(what.queue, what.partition);
  if (!found)
    return found.reason();
  if (!what.closed_lease.nil())
    rows_.erase_unread(key::lease(what.closed_lease, what.partition));
  if (!*found)
    return {}; // erased while this entry was on its way
  rows_.put_unread(key::cursor(what.queue, what.group, what.partition),
                   encode(what.cursor));
  if (!what.cursor.lease_id.nil()) {
    auto tenant = tenant_of(**found);
    if (!tenant)
      return tenant.reason();
    rows_.put_unread(key::lease(what.cursor.lease_id, what.partition),
                     encode(lease_row{what.queue, what.group, *tenant}));
  }
  now.out.cursors.push_back(
    {what.queue, what.partition, what.group, what.cursor});
  return {};
}

result<void> applier_state::on(context& now, const put_group& what) {
  applied_group done{what.tenant, what.group};
  // The leader does not know the index of an entry that it proposes.
  if (done.group.mode == subscription_mode::from_new &&
      done.group.since_index == 0)
    done.group.since_index = now.out.index;
  rows_.put_unread(key::group(what.tenant, done.group.queue, done.group.group),
                   encode(done.group));
  now.out.groups.push_back(std::move(done));
  return {};
}

// -- key/value rows -----------------------------------------------------------

result<void> applier_state::raise_kv_version(const uuid& tenant,
                                             version_t version) {
  auto version_key = key::kv_version(tenant);
  auto last = number(version_key);
  if (!last)
    return last.reason();
  if (last->value_or(0) < version)
    rows_.put(version_key, encode_number(version));
  return {};
}

result<void> applier_state::on(context& now, const put_kv& what) {
  auto row_key = key::kv(what.tenant, what.ns, what.key);
  auto before = rows_.get(row_key);
  if (!before)
    return before.reason();
  kv_row row;
  row.value = what.value.view;
  row.version = what.version;
  row.expires_at = what.expires_at;
  row.created_at = row.updated_at = now.out.stamp;
  if (*before) {
    auto old = decode_kv(**before);
    if (!old)
      return old.reason();
    // An expired key does not exist, swept or not.
    if (old->expires_at == 0 || old->expires_at > now.out.stamp)
      row.created_at = old->created_at;
  }
  rows_.put(row_key, encode(row));
  now.out.kv.push_back(
    {what.tenant, what.ns, what.key, what.version, std::move(row)});
  return raise_kv_version(what.tenant, what.version);
}

result<void> applier_state::on(context& now, const erase_kv& what) {
  rows_.erase(key::kv(what.tenant, what.ns, what.key));
  now.out.kv.push_back(
    {what.tenant, what.ns, what.key, what.version, std::nullopt});
  return raise_kv_version(what.tenant, what.version);
}

} // namespace queen::actors
