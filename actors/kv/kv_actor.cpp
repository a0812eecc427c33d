#include "actors/kv/kv_actor.hpp"

#include "actors/kv/kv_state.hpp"
#include "actors/node/idle_rest.hpp"
#include "actors/reservations/reservations.hpp"

#include <caf/send.hpp>

namespace queen::actors {

namespace {

class runner {
public:
  runner(kv_actor::pointer self, context_ptr context, group_door door,
         const domain::uuid& tenant, std::string key)
    : self_(self), context_(std::move(context)),
      state_(tenant, *context_->store),
      rest_(context_, std::move(door), std::move(key)) {}

  void asked(ballot b);
  void decided(const queen::actors::decided& d);
  void on_applied(const applied& a);
  void wake();

private:
  /// A call between its ballot and its decision.
  struct open_call {
    ballot what;
    std::set<std::string> written_spaces;
    // A read by prefix waits for those who write there and came before it.
    std::set<call_id> behind;
    bool holds_keys = false;
    bool judged = false;
    kv_state::overlay writes;
  };

  void try_judge(open_call& call);
  void leave(call_id id);

  kv_actor::pointer self_;
  context_ptr context_;
  kv_state state_;
  reservations<std::string> keys_;
  std::map<call_id, open_call> calls_;
  std::set<call_id> prefix_readers_; // that still wait
  idle_rest rest_;
};

void runner::asked(ballot b) {
  rest_.count();
  rest_.used();
  auto id = b.call;
  auto footprint = footprint_of(*b.what, b.items);
  open_call call;
  call.what = std::move(b);
  call.written_spaces = std::move(footprint.written_spaces);
  for (auto& ns : footprint.read_spaces)
    for (auto& [other, open] : calls_)
      if (open.written_spaces.count(ns))
        call.behind.insert(other);
  if (!call.behind.empty())
    prefix_readers_.insert(id);
  call.holds_keys = keys_.enter(id, std::move(footprint.keys));
  auto& here = calls_.emplace(id, std::move(call)).first->second;
  try_judge(here);
}

void runner::try_judge(open_call& call) {
  if (!call.holds_keys || !call.behind.empty() || call.judged)
    return;
  call.judged = true;
  auto& b = call.what;
  auto verdict = state_.judge(*b.what, b.items, b.now);
  vote out;
  out.call = b.call;
  out.slot = b.slot;
  out.reason = verdict.reason;
  out.error = std::move(verdict.error);
  out.failed_kv = verdict.failed;
  out.lost = std::move(verdict.lost);
  out.kv = std::move(verdict.results);
  out.on_planned = verdict.on_planned;
  out.effects = std::move(verdict.effects);
  call.writes = std::move(verdict.writes);
  auto id = b.call;
  bool alone =
    b.what->acks.empty() && b.what->pushes.empty() && b.what->timers.empty();
  bool keeps =
    out.reason == domain::refusal::none && !(alone && call.writes.empty());
  self_->send(b.collector, std::move(out));
  if (!keeps)
    leave(id);
}

void runner::leave(call_id id) {
  if (calls_.erase(id) == 0)
    return;
  prefix_readers_.erase(id);
  std::vector<call_id> ready;
  for (auto next : keys_.leave(id)) {
    calls_.at(next).holds_keys = true;
    ready.push_back(next);
  }
  for (auto i = prefix_readers_.begin(); i != prefix_readers_.end();) {
    auto& behind = calls_.at(*i).behind;
    bool freed = behind.erase(id) != 0 && behind.empty();
    if (freed)
      ready.push_back(*i);
    i = freed ? prefix_readers_.erase(i) : std::next(i);
  }
  for (auto next : ready)
    if (auto i = calls_.find(next); i != calls_.end())
      try_judge(i->second);
}

void runner::decided(const queen::actors::decided& d) {
  auto i = calls_.find(d.call);
  if (i == calls_.end())
    return;
  if (d.committed)
    state_.fold(std::move(i->second.writes));
  leave(d.call);
}

void runner::on_applied(const applied& a) {
  for (auto& call : a.calls) {
    if (call.entry)
      state_.applied(*call.entry);
    // Should this have come before `decided`, there is nothing left to fold.
    leave(call.call);
  }
  rest_.used();
}

void runner::wake() {
  rest_.woken(self_, calls_.empty() && state_.settled());
}

} // namespace

kv_actor::behavior_type kv(kv_actor::pointer self, context_ptr context,
                           group_door door, domain::uuid tenant,
                           std::string key) {
  auto run = std::make_shared<runner>(self, std::move(context), std::move(door),
                                      tenant, std::move(key));
  return {
    [run](ballot& b) { run->asked(std::move(b)); },
    [run](const decided& d) { run->decided(d); },
    [run](const applied& a) { run->on_applied(a); },
    [run](const wake&) { run->wake(); },
    [self](const rest&) { self->quit(); },
  };
}

} // namespace queen::actors
