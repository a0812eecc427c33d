// Boots a node on its data directory and takes it down again: opens the log
// and one store a raft group, replays what the log has over the stores, and
// spawns and wires the actors. Read this file first to see what there is.
//
//   tenant_group --ballots--> lease, partition, kv, timer_wheel
//        |                         | votes
//        +--spawns--> transaction <+
//                          | propose
//                        raft --records--> log_writer (one a node)
//                          | committed
//                       applier --applied--> participants, consumer groups,
//                                            transaction (answers)

#pragma once

#include "actors/log_writer/log_writer_actor.hpp"
#include "actors/node/group_context.hpp"
#include "actors/tenant_group/tenant_group_actor.hpp"
#include "persistence/disk.hpp"

#include <caf/actor_system.hpp>

#include <functional>

namespace queen::actors {

struct node_settings {
  std::string directory;
  uint32_t groups = 1; // fixed when the directory is made
  bool verify_stores = false;
  uint64_t checkpoint_bytes = 256ull << 20;
  persistence::log_options log;
  group_limits limits;
};

/// What the node stands on; the simulator gives its own. All must outlive it.
struct node_parts {
  environment* env = nullptr;
  persistence::disk* disk = nullptr;
  std::function<result<std::unique_ptr<persistence::store>>(
    const std::string& directory)>
    open_store;
  /// A disk failed or an actor that nothing can replace did. Called from any
  /// thread; the process must end and recover by booting again.
  std::function<void(const error&)> fatal;
};

class node {
public:
  /// Errors: io_failed, damaged (with file, offset and reason), format_newer,
  /// bad_setting (another number of groups than the directory was made with).
  static result<std::unique_ptr<node>>
  boot(caf::actor_system& system, node_settings settings, node_parts parts);
  ~node();

  uint32_t groups() const { return static_cast<uint32_t>(groups_.size()); }
  const tenant_group_actor& door(uint32_t group) const {
    return groups_[group]->tenants;
  }
  const group_status& status(uint32_t group) const {
    return *groups_[group]->status;
  }
  const log_writer_stats& log_stats() const { return *log_stats_; }
  persistence::store& store(uint32_t group) { return *groups_[group]->store; }

  /// Ends every actor and makes the stores durable, so that the next boot has
  /// nothing to replay. Call when no request is in flight any more.
  void stop();
  /// Ends every actor as the death of its process would: nothing is made
  /// durable. Returns at once; the node must outlive the actors' ends.
  void abandon();

private:
  struct group {
    std::unique_ptr<persistence::store> store;
    std::unique_ptr<applier_state> state;
    consumer_directory consumers;
    std::shared_ptr<group_status> status = std::make_shared<group_status>();
    tenant_group_actor tenants;
  };
  struct recovered;

  node(caf::actor_system& system, node_settings settings, node_parts parts);
  result<void> check_format();
  result<void> open_stores();
  result<std::vector<recovered>> recover_log();
  result<void> spawn(std::vector<recovered> recovered);

  caf::actor_system& system_;
  node_settings settings_;
  node_parts parts_;
  std::unique_ptr<persistence::directory_lock> lock_;
  std::unique_ptr<persistence::log> log_;
  std::shared_ptr<log_writer_stats> log_stats_ =
    std::make_shared<log_writer_stats>();
  std::vector<std::unique_ptr<group>> groups_;
  std::vector<caf::actor> core_actors_; // in the order in which they end
  bool stopped_ = false;
};

} // namespace queen::actors
