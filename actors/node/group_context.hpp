// What every actor of one raft group is given when it is spawned on the
// leader: one term of leadership has one context, so that nothing planned can
// outlive the leadership under which it was planned.

#pragma once

#include "actors/environment.hpp"
#include "actors/node/group_status.hpp"
#include "actors/transaction/transaction_messages.hpp"
#include "persistence/store.hpp"

#include <map>
#include <mutex>
#include <set>

namespace queen::actors {

/// Ceilings that votes judge by; from the settings.
struct group_limits {
  uint64_t max_entry_bytes = 100663296;
  uint32_t kv_max_value_bytes = 65536;
  int64_t timers_max_horizon_us = 90ll * 86400 * 1000000;
  uint32_t timers_max_payload_bytes = 1 << 20;
  int64_t idle_unload_us = 600ll * 1000000;
};

/// Consumer groups by the queue they read, for the applier: whoever is here
/// hears of every append to its queue. Registered before it reads the store,
/// so that nothing falls between the two.
class consumer_directory {
public:
  void add(domain::queue_id queue, const applied_listener& who);
  void remove(domain::queue_id queue, const applied_listener& who);
  std::vector<applied_listener> of(domain::queue_id queue) const;

private:
  mutable std::mutex mutex_;
  std::map<domain::queue_id, std::vector<applied_listener>> by_queue_;
};

/// One call from a client (or from inside), as it reaches the tenant group.
struct request {
  std::shared_ptr<const domain::command> what;
  domain::reply_to client;
};

/// Requests that one turn of the edge's loop read, in order.
struct submit {
  std::vector<request> requests;
};

/// An idle participant offers to go; `served` is how many messages of the
/// tenant group it has seen. The tenant group lets it go when it sent no more.
struct offer_rest {
  std::string key;
  uint64_t served = 0;
};
struct rest {};

using group_door =
  caf::typed_actor<caf::reacts_to<submit>, caf::reacts_to<offer_rest>>;

struct group_context {
  uint32_t group = 0;
  environment* env = nullptr;
  persistence::store* store = nullptr;
  consumer_directory* consumers = nullptr;
  group_limits limits;
  leader_clock clock;
  proposer_actor raft;
  std::shared_ptr<group_status> status;

  domain::time_us now() const { return clock.now(*env); }
};
using context_ptr = std::shared_ptr<group_context>;

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::submit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::offer_rest)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::rest)
