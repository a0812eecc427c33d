// One (queue, group): which partitions may have something to deliver, oldest
// first, and which pops wait for them. It holds hints, never truth: a claim
// asks the lease, so a hint that is wrong costs one claim and nothing else.
// Memory is bounded: past `candidates_max` the newest hints are dropped and
// found again by a scan of the store in partition order.

#pragma once

#include "actors/domain/commands.hpp"
#include "actors/domain/effects.hpp"

#include <deque>
#include <map>
#include <set>
#include <variant>
#include <vector>

namespace queen::actors {

using ticket_id = uint64_t; // one pop in this consumer group

struct pop_limits {
  uint32_t batch = 1;      // messages left in the pop's budget
  uint32_t partitions = 1; // partitions that it may still claim
  bool wait = false;
  domain::time_us deadline = 0;             // parked until then
  std::optional<domain::partition_id> only; // pop of one partition
  bool only_unknown = false;                // that partition does not exist yet
};

// -- what the actor must do ---------------------------------------------------

struct start_claim {
  ticket_id ticket;
  domain::partition_id partition;
  uint32_t batch;
};
/// Log what the ticket's claims granted; answer when it has applied.
struct commit_claims {
  ticket_id ticket;
};
/// Nothing to deliver: 204.
struct answer_empty {
  ticket_id ticket;
};
/// Read partitions of the queue from this id on and report them.
struct scan_partitions {
  domain::partition_id from;
};
using group_action =
  std::variant<start_claim, commit_claims, answer_empty, scan_partitions>;

/// What a lease said to a claim.
struct claim_outcome {
  bool granted = false;
  uint32_t messages = 0;
  // Not granted: when to ask again; 0: when something is pushed.
  domain::time_us again_at = 0;
  // The lease is busy with a call in flight: its end will be heard of.
  bool busy = false;
};

class consumer_group_state {
public:
  explicit consumer_group_state(size_t candidates_max = 65536)
    : candidates_max_(candidates_max) {}

  // -- facts ------------------------------------------------------------------
  void appended(domain::partition_id, domain::offset_t end, domain::time_us at);
  void cursor_moved(domain::partition_id, const domain::cursor_record&,
                    domain::time_us now);
  /// A row of the scan; `cursor` is null when the group has none there.
  void scanned(domain::partition_id, domain::offset_t log_start,
               domain::offset_t next, domain::time_us last_at,
               const domain::cursor_record* cursor, domain::time_us now);
  /// The scan that began at `from` read up to before `next_from`; `done` when
  /// the queue has no further partition.
  void scan_ended(domain::partition_id next_from, bool done);
  void start_scan() {
    scan_from_ = 0;
    scan_done_ = false;
  }
  /// A queue that did not exist has come to be: nothing is stored yet.
  void nothing_stored() { scan_done_ = true; }
  /// The queue was deleted: no partition of it is left.
  void forget_all();

  // -- pops -------------------------------------------------------------------
  void open(ticket_id, pop_limits);
  /// The pop of one partition learns that the partition now exists.
  void found(ticket_id, domain::partition_id);
  std::vector<ticket_id> waiting_for_unknown() const;
  void claimed(ticket_id, domain::partition_id, const claim_outcome&,
               domain::time_us now);
  /// True when the ticket was parked or idle and is gone now; false when it
  /// has claims out, whose outcome must then be handed back.
  bool cancel(ticket_id);
  void close(ticket_id);

  /// Everything that can be started now. Deterministic.
  std::vector<group_action> next(domain::time_us now);
  /// When next() may have more to do without a new fact; 0: never.
  domain::time_us next_wakeup() const;

  bool idle() const { return tickets_.empty(); }
  size_t candidates() const { return ready_.size(); }
  size_t parked() const { return tickets_.size(); }

private:
  enum class status : uint8_t { ready, claiming, leased, delayed };
  struct hint {
    status is = status::ready;
    domain::time_us at = 0; // ready: since; leased, delayed: until
    domain::offset_t next = 0;
    bool dirty = false; // claiming: something was pushed meanwhile
  };
  enum class phase : uint8_t { seeking, claiming, ending };
  struct ticket {
    pop_limits limits;
    uint32_t granted = 0;
    phase is = phase::seeking;
  };

  void set(domain::partition_id, hint&, status, domain::time_us at);
  void forget(domain::partition_id);
  void shed();
  void release_due(domain::time_us now);
  void seek(ticket_id, ticket&);
  void stop_seeking(ticket_id, const ticket&);
  std::optional<domain::partition_id> pick(const ticket&) const;
  void evaluate(ticket_id, domain::time_us now, std::vector<group_action>&);

  size_t candidates_max_;
  std::map<domain::partition_id, hint> hints_;
  std::set<std::pair<domain::time_us, domain::partition_id>> ready_;
  std::set<std::pair<domain::time_us, domain::partition_id>> later_;
  std::map<ticket_id, ticket> tickets_;
  // Ids rise, so the first seeker is the oldest. A pop of one partition waits
  // in `pinned_` instead, so that a push looks at the pops it can feed only.
  std::set<ticket_id> seekers_;
  std::map<domain::partition_id, std::set<ticket_id>> pinned_;
  std::set<std::pair<domain::time_us, ticket_id>> deadlines_;
  std::set<ticket_id> changed_; // to be looked at by next()
  domain::partition_id scan_from_ = 0;
  bool scan_done_ = false;
  bool scanning_ = false;
};

} // namespace queen::actors
