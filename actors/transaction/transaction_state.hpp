// One call in flight: collects votes, decides by the fixed order of refusals
// (acks, pushes, KV, timers), and builds the answer once its entry has
// applied. Pure: values in, verdict and effects out.

#pragma once

#include "actors/transaction/transaction_messages.hpp"

namespace queen::actors {

enum class participant_kind : uint8_t { lease, partition, kv, timer_wheel };

struct seat_plan {
  participant_kind kind = participant_kind::lease;
  std::vector<uint32_t> items; // positions in the call's vector of the kind
};

class transaction_state {
public:
  /// `preamble`: effects that no participant votes for (queues to ensure).
  transaction_state(std::shared_ptr<const domain::transaction> call,
                    std::shared_ptr<const domain::extend_lease> extend,
                    std::vector<seat_plan> seats,
                    std::vector<domain::effect> preamble);

  /// True when all votes are in.
  bool add(vote v);

  struct decision {
    bool commit = false;
    bool writes = false;     // false with commit: nothing to log
    bool on_planned = false; // wait for a barrier before answering
    std::vector<domain::effect> effects;
  };
  /// Call once, after the last vote.
  decision decide();

  /// The answer. `entry` is null when nothing was logged.
  domain::reply answer(const applied_entry* entry) const;

private:
  domain::transaction_reply refused() const;
  domain::reply extended() const;

  std::shared_ptr<const domain::transaction> call_;
  std::shared_ptr<const domain::extend_lease> extend_;
  std::vector<seat_plan> seats_;
  std::vector<domain::effect> preamble_;
  std::vector<vote> votes_;
  size_t missing_ = 0;
  const vote* refusal_ = nullptr;
};

} // namespace queen::actors
