// The queues of a raft group as the leader plans them: what is stored, and
// what has been promised to calls in flight. Plans the ids of new queues and
// partitions; an id that was planned and not used is skipped for ever.

#pragma once

#include "actors/domain/commands.hpp"
#include "actors/domain/queue_options.hpp"
#include "config/error.hpp"

#include <map>
#include <vector>

namespace queen::actors {

class queue_table {
public:
  struct entry {
    domain::queue_record record;
    bool stored = false; // false: every call that uses it must ensure it
  };

  void load(domain::queue_record record);
  void set_next_ids(domain::queue_id queue, domain::partition_id partition);

  entry* find(const domain::uuid& tenant, std::string_view name);
  entry* by_id(domain::queue_id id);

  /// The queue of that name, planned now when there is none.
  entry& ensure(const domain::uuid& tenant, const std::string& name,
                domain::time_us now);
  domain::partition_id plan_partition() { return next_partition_++; }

  /// Applies configure's merge or replace to the planned record.
  entry& configure(const domain::configure_queue& change, domain::time_us now);

  /// An entry that carried the queue has applied.
  void stored(domain::queue_id id);
  /// False when there was none.
  bool erase(const domain::uuid& tenant, std::string_view name);

  std::vector<const entry*> of(const domain::uuid& tenant) const;
  /// Queues with these labels; an empty label matches all.
  std::vector<const entry*> labelled(const domain::uuid& tenant,
                                     std::string_view name_space,
                                     std::string_view task) const;

private:
  std::map<domain::uuid, std::map<std::string, entry, std::less<>>> queues_;
  std::map<domain::queue_id, std::pair<domain::uuid, std::string>> ids_;
  domain::queue_id next_queue_ = 1;
  domain::partition_id next_partition_ = 1;
};

/// Sets one option by its wire name; false when there is no such option.
bool set_option(domain::queue_options& options,
                const domain::option_change& change,
                const domain::queue_options& defaults);

} // namespace queen::actors
