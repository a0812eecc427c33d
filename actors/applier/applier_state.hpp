// Turns committed entries into rows of the group's store. Pure and the same on
// every node: the entry's stamp is the only clock, ids come inside effects, and
// nothing is refused. The store holds its applied index in the same batch as
// what the entries did, so a replay from any earlier index gives the same state
// (spec/cluster.md, What an answered write means). How many entries share a
// batch changes no byte.

#pragma once

#include "actors/applier/applied_entry.hpp"
#include "actors/applier/partition_heads.hpp"
#include "actors/applier/pending_rows.hpp"

namespace queen::actors {

class applier_state {
public:
  // 65,536 heads of a hundred bytes or so: what a busy group touches within
  // seconds, for a few megabytes.
  static constexpr size_t default_head_capacity = 65536;

  explicit applier_state(persistence::store& store,
                         size_t head_capacity = default_head_capacity);

  /// Where the store stands. Before anything else.
  result<void> load();

  uint64_t applied_index() const { return applied_.index; }
  uint64_t applied_term() const { return applied_.term; }
  domain::time_us last_stamp() const { return applied_.stamp; }
  /// Above every id that an entry ever used: the leader plans from here.
  domain::queue_id next_queue_id() const { return next_queue_.value; }
  domain::partition_id next_partition_id() const {
    return next_partition_.value;
  }

  /// Adds one committed entry's effects to the batch. Entries come in index
  /// order; one at or below the applied index does nothing (replay). After an
  /// error the state is of no use: the node must stop.
  result<applied_entry> apply(uint64_t index, uint64_t term,
                              const domain::log_entry& entry);
  /// An entry of raft's own, which has no effects, takes an index too.
  void pass(uint64_t index, uint64_t term);

  /// One store write of all since the last one, the applied index with it.
  result<void> commit();
  size_t pending_bytes() const { return rows_.bytes(); }

private:
  struct position {
    uint64_t index = 0, term = 0;
    domain::time_us stamp = 0;
  };
  struct counter {
    const char* name;
    uint64_t value = 1;
    bool changed = false;
  };
  // The entry that is being applied, with what its names turned out to be.
  struct context {
    applied_entry& out;
    std::vector<std::pair<domain::queue_id, domain::queue_id>> queue_aliases;
    std::vector<std::pair<domain::partition_id, domain::partition_id>>
      partition_aliases;

    domain::queue_id actual_queue(domain::queue_id planned) const;
    domain::partition_id actual_partition(domain::partition_id planned) const;
  };
  using head = partition_heads::head;

  result<void> on(context&, const domain::put_queue&);
  result<void> on(context&, const domain::ensure_partition&);
  result<void> on(context&, const domain::append&);
  result<void> on(context&, const domain::put_cursor&);
  result<void> on(context&, const domain::file_dead_letter&);
  result<void> on(context&, const domain::put_group&);
  result<void> on(context&, const domain::put_kv&);
  result<void> on(context&, const domain::erase_kv&);
  result<void> on(context&, const domain::put_timer&);
  result<void> on(context&, const domain::erase_timer&);
  result<void> on(context&, const domain::file_timer_dead_letter&);
  result<void> on(context&, const domain::erase_queue&);
  result<void> on(context&, const domain::trim_partition&);

  result<void> erase_named(context&, const domain::erase_queue&);

  /// Null when there is no such partition.
  result<head*> find_head(domain::queue_id, domain::partition_id);
  /// Whose queue the head's partition is in.
  result<domain::uuid> tenant_of(head&);
  result<std::optional<domain::queue_address>> queue_address(domain::queue_id);
  result<std::optional<uint64_t>> number(const std::string& key);
  result<void> raise_kv_version(const domain::uuid& tenant,
                                domain::version_t version);
  result<bool> remove_timer(const domain::uuid& tenant,
                            const std::string& queue,
                            const std::string& timer_key);
  void saw(counter& which, uint64_t id);
  result<void> load_counter(counter& which);

  pending_rows rows_;
  partition_heads heads_;
  position applied_;
  position written_;
  counter next_queue_{"next_queue_id"};
  counter next_partition_{"next_partition_id"};
};

} // namespace queen::actors
