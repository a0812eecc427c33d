// The actors of a raft group that are loaded on its leader, by what they are.
// Only the tenant group holds it, so an actor that is asked to rest can be let
// go exactly when nothing has been sent to it since it offered.

#pragma once

#include "actors/consumer_group/consumer_group_actor.hpp"
#include "actors/kv/kv_actor.hpp"
#include "actors/lease/lease_actor.hpp"
#include "actors/partition/partition_actor.hpp"
#include "actors/timer_wheel/timer_wheel_actor.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace queen::actors {

/// One loaded actor and how many messages the tenant group has sent to it.
template <class Handle>
struct loaded {
  Handle who;
  uint64_t sent = 0;
  // For the sweep: what had been sent when it last looked, and how often since
  // then it was the same.
  uint64_t swept_at = 0;
  uint8_t quiet = 0;
};

struct loaded_partition : loaded<partition_actor> {
  domain::partition_id id = 0;
  bool stored = false;
};

struct directory {
  std::unordered_map<std::string, loaded_partition> partitions;
  std::unordered_map<domain::partition_id, std::string> partition_names;
  std::unordered_map<std::string, loaded<lease_actor>> leases;
  std::unordered_map<std::string, loaded<consumer_group_actor>> groups;
  std::unordered_map<std::string, loaded<kv_actor>> kvs;
  timer_wheel_actor wheel;

  // Keys: the first letter says which map. Names may hold any byte, so the
  // fixed-width number stands first and the name last.
  static std::string partition_key(domain::queue_id, std::string_view name);
  static std::string lease_key(domain::partition_id, std::string_view group);
  static std::string group_key(const domain::uuid& tenant,
                               std::string_view queue, std::string_view group);
  static std::string kv_key(const domain::uuid& tenant);

  /// Sweeps that make an idle time.
  static constexpr uint8_t sweeps = 4;
  /// Calls `wake` with each that was sent nothing for an idle time, and with
  /// it again an idle time later if it is still here.
  template <class Wake>
  void sweep(Wake wake) {
    auto look = [&wake](auto& all) {
      for (auto& [key, one] : all) {
        if (one.sent != one.swept_at) {
          one.swept_at = one.sent;
          one.quiet = 0;
        } else if (++one.quiet >= sweeps) {
          one.quiet = 0;
          wake(one.who);
        }
      }
    };
    look(partitions);
    look(leases);
    look(kvs);
  }

  /// Lets the actor of that key go when it has seen all that was sent to it.
  /// Returns whom to tell; none when it must stay.
  template <class Handle>
  static std::optional<Handle>
  release(std::unordered_map<std::string, loaded<Handle>>& all,
          const std::string& key, uint64_t served) {
    auto i = all.find(key);
    if (i == all.end() || i->second.sent != served)
      return std::nullopt;
    auto who = i->second.who;
    all.erase(i);
    return who;
  }
};

} // namespace queen::actors
