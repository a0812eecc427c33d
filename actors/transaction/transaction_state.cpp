#include "actors/transaction/transaction_state.hpp"

#include "config/ensure.hpp"

#include <algorithm>

namespace queen::actors {

using domain::refusal;

namespace {

// The order in which refusals win; spec/transaction.md, Verdict.
int rank(participant_kind kind) {
  switch (kind) {
  case participant_kind::lease:
    return 0;
  case participant_kind::partition:
    return 1;
  case participant_kind::kv:
    return 2;
  case participant_kind::timer_wheel:
    return 3;
  }
  return 4;
}

} // namespace

transaction_state::transaction_state(
  std::shared_ptr<const domain::transaction> call,
  std::shared_ptr<const domain::extend_lease> extend,
  std::vector<seat_plan> seats, std::vector<domain::effect> preamble)
  : call_(std::move(call)), extend_(std::move(extend)),
    seats_(std::move(seats)), preamble_(std::move(preamble)),
    votes_(seats_.size()), missing_(seats_.size()) {}

bool transaction_state::add(vote v) {
  ENSURE(v.slot < votes_.size() && missing_ > 0);
  auto slot = v.slot;
  votes_[slot] = std::move(v);
  return --missing_ == 0;
}

transaction_state::decision transaction_state::decide() {
  decision out;
  // Among refusals of one kind the earliest item of the call is the reason.
  auto better = [this](const vote& a, const vote& b) {
    auto ra = rank(seats_[a.slot].kind);
    auto rb = rank(seats_[b.slot].kind);
    if (ra != rb)
      return ra < rb;
    return seats_[a.slot].items.front() < seats_[b.slot].items.front();
  };
  for (auto& v : votes_) {
    out.on_planned |= v.on_planned;
    if (v.reason != refusal::none && (!refusal_ || better(v, *refusal_)))
      refusal_ = &v;
  }
  if (refusal_)
    return out;
  out.commit = true;
  bool wanted = false;
  for (auto& v : votes_)
    wanted |= !v.effects.empty();
  if (wanted)
    out.effects = std::move(preamble_);
  for (auto& v : votes_)
    std::move(v.effects.begin(), v.effects.end(),
              std::back_inserter(out.effects));
  out.writes = wanted;
  return out;
}

domain::transaction_reply transaction_state::refused() const {
  domain::transaction_reply out;
  out.reason = refusal_->reason;
  out.error = refusal_->error;
  out.failed_kv = refusal_->failed_kv;
  out.lost = refusal_->lost;
  return out;
}

domain::reply transaction_state::extended() const {
  domain::extend_reply out;
  for (auto& v : votes_) {
    out.renewed += v.extended.renewed;
    out.expires_at = std::max(out.expires_at, v.extended.expires_at);
  }
  if (out.renewed == 0)
    out.error = "unknown or expired lease";
  return out;
}

domain::reply transaction_state::answer(const applied_entry* entry) const {
  if (extend_)
    return extended();
  if (refusal_)
    return refused();
  domain::transaction_reply out;
  // What nobody was asked about is in no partition that the tenant has.
  domain::ack_result unknown;
  unknown.error = "unknown partition";
  out.acks.resize(call_->acks.size(), unknown);
  out.pushes.resize(call_->pushes.size());
  out.kv.resize(call_->kv.size());
  out.timers.resize(call_->timers.size());
  size_t append = 0; // appends come back in the order of the effects
  for (auto& v : votes_) {
    auto& items = seats_[v.slot].items;
    for (size_t i = 0; i < v.acks.size(); ++i)
      out.acks[items[i]] = v.acks[i];
    for (size_t i = 0; i < v.kv.size(); ++i)
      out.kv[items[i]] = v.kv[i];
    for (size_t i = 0; i < v.timers.size(); ++i)
      out.timers[items[i]] = v.timers[i];
    if (v.pushes.empty())
      continue;
    bool stored = std::any_of(v.pushes.begin(), v.pushes.end(),
                              [](auto& p) { return !p.duplicate; });
    domain::offset_t first = 0;
    if (stored) {
      ENSURE(entry && append < entry->appends.size());
      first = entry->appends[append++].first;
    }
    for (size_t i = 0; i < v.pushes.size(); ++i) {
      auto& p = v.pushes[i];
      bool ours = !p.duplicate || p.in_call;
      out.pushes[items[i]] = {p.duplicate, p.message_id,
                              ours ? first + p.ordinal : p.offset};
    }
  }
  return out;
}

} // namespace queen::actors
