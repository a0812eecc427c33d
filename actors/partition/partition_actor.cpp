#include "actors/partition/partition_actor.hpp"

#include "actors/node/idle_rest.hpp"
#include "actors/partition/partition_state.hpp"
#include "actors/reservations/reservations.hpp"

#include <caf/send.hpp>

namespace queen::actors {

namespace {

class runner {
public:
  runner(partition_actor::pointer self, context_ptr context, group_door door,
         partition_identity identity)
    : self_(self), context_(std::move(context)),
      stored_(*context_->store, identity.queue_id, identity.id),
      state_({identity.queue_id, identity.id, identity.queue, identity.name,
              identity.stored},
             stored_),
      rest_(context_, std::move(door), identity.key) {}

  void asked(ballot b);
  void decided(const queen::actors::decided& d);
  void on_applied(const applied& a);
  void read(const read_batch& what);
  void wake();

private:
  void judge(const ballot& b);
  void leave(call_id call);

  partition_actor::pointer self_;
  context_ptr context_;
  stored_blocks stored_;
  partition_state state_;
  reservations<uint64_t> ids_;
  std::map<call_id, ballot> waiting_; // for ids that other calls have
  idle_rest rest_;
};

void runner::asked(ballot b) {
  rest_.count();
  auto call = b.call;
  if (ids_.enter(call, partition_state::reserves(*b.what, b.items)))
    judge(b);
  else
    waiting_.emplace(call, std::move(b));
}

void runner::judge(const ballot& b) {
  auto verdict = state_.judge(*b.what, b.items, b.options, b.now);
  vote out;
  out.call = b.call;
  out.slot = b.slot;
  out.reason = verdict.reason;
  out.error = std::move(verdict.error);
  out.pushes = std::move(verdict.pushes);
  out.effects = std::move(verdict.effects);
  bool refused = out.reason != domain::refusal::none;
  self_->send(b.collector, std::move(out));
  if (refused)
    leave(b.call);
}

void runner::leave(call_id call) {
  for (auto next : ids_.leave(call)) {
    auto i = waiting_.find(next);
    auto b = std::move(i->second);
    waiting_.erase(i);
    judge(b);
  }
}

void runner::decided(const queen::actors::decided& d) {
  if (!d.committed)
    leave(d.call);
}

void runner::on_applied(const applied& a) {
  for (auto& call : a.calls) {
    if (call.entry)
      state_.applied(*call.entry);
    leave(call.call);
  }
  rest_.used();
}

void runner::read(const read_batch& what) {
  rest_.count();
  if (!what.receiver)
    return; // a lease that had no use for its read after all
  rest_.used();
  self_->send(what.receiver, state_.read(what));
}

void runner::wake() {
  rest_.woken(self_, ids_.empty());
}

} // namespace

partition_actor::behavior_type partition(partition_actor::pointer self,
                                         context_ptr context, group_door door,
                                         partition_identity identity) {
  auto run = std::make_shared<runner>(self, std::move(context), std::move(door),
                                      std::move(identity));
  return {
    [run](ballot& b) { run->asked(std::move(b)); },
    [run](const decided& d) { run->decided(d); },
    [run](const applied& a) { run->on_applied(a); },
    [run](const read_batch& what) { run->read(what); },
    [run](const wake&) { run->wake(); },
    [self](const rest&) { self->quit(); },
  };
}

} // namespace queen::actors
