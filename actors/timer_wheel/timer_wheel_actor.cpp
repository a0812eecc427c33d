#include "actors/timer_wheel/timer_wheel_actor.hpp"

#include "actors/query/queries.hpp"
#include "actors/reservations/reservations.hpp"
#include "actors/timer_wheel/timer_wheel_state.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>

namespace queen::actors {

namespace {

constexpr size_t fires_max = 256; // in flight
constexpr domain::time_us second = 1000000;
constexpr domain::time_us backoff_max = 60 * second;
constexpr uint32_t attempts_max = 5;
// Ids of the wheel's own entries; the tenant group's count up from 1.
constexpr call_id own_calls = call_id{1} << 62;

class fire_port : public domain::reply_port {
public:
  explicit fire_port(timer_wheel_actor wheel) : wheel_(std::move(wheel)) {}
  void deliver(uint64_t fire, domain::reply answer) override {
    caf::anon_send(wheel_, fire_ended{fire, std::move(answer)});
  }

private:
  timer_wheel_actor wheel_;
};

class runner {
public:
  runner(timer_wheel_actor::pointer self, context_ptr context, group_door door)
    : self_(self), context_(std::move(context)), door_(std::move(door)),
      state_(*context_->store) {}

  void turn();
  void asked(ballot b);
  void decided(const queen::actors::decided& d);
  void on_applied(const applied& a);
  void wake();
  void ended(const fire_ended& what);

private:
  struct fire {
    timer_ref which;
    domain::uuid message_id;
  };
  struct refused_fire {
    fire what;
    std::string why;
  };

  void start_fire(const timer_ref& which);
  void judge(const ballot& b);
  void record_refusal(call_id call, const refused_fire& what);
  void leave(call_id call);

  timer_wheel_actor::pointer self_;
  context_ptr context_;
  group_door door_;
  timer_wheel_state state_;
  reservations<timer_ref> timers_;
  std::map<call_id, ballot> waiting_;
  std::map<call_id, refused_fire> refusals_; // to be stored
  std::map<uint64_t, fire> fires_;           // in flight
  std::shared_ptr<fire_port> port_;
  uint64_t last_fire_ = 0;
  call_id last_call_ = own_calls;
  domain::time_us armed_at_ = 0;
};

// -- schedules, cancels, fires ------------------------------------------------

void runner::asked(ballot b) {
  auto call = b.call;
  if (timers_.enter(call, timers_of(*b.what, b.items)))
    judge(b);
  else
    waiting_.emplace(call, std::move(b));
}

void runner::judge(const ballot& b) {
  auto verdict = state_.judge(*b.what, b.items, b.now);
  vote out;
  out.call = b.call;
  out.slot = b.slot;
  out.reason = verdict.reason;
  out.error = std::move(verdict.error);
  out.timers = std::move(verdict.results);
  out.effects = std::move(verdict.effects);
  bool refused = out.reason != domain::refusal::none;
  self_->send(b.collector, std::move(out));
  if (refused)
    leave(b.call);
}

void runner::leave(call_id call) {
  for (auto next : timers_.leave(call)) {
    if (auto b = waiting_.find(next); b != waiting_.end()) {
      auto what = std::move(b->second);
      waiting_.erase(b);
      judge(what);
    } else if (auto r = refusals_.find(next); r != refusals_.end()) {
      auto what = std::move(r->second);
      refusals_.erase(r);
      record_refusal(next, what);
    }
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
  turn();
}

// -- firing -------------------------------------------------------------------

void runner::wake() {
  if (context_->now() < armed_at_)
    return; // armed anew for later since: that one goes on
  armed_at_ = 0;
  turn();
}

void runner::turn() {
  auto now = context_->now();
  if (fires_.size() < fires_max)
    for (auto& which : state_.take_due(now, fires_max - fires_.size()))
      start_fire(which);
  if (fires_.size() >= fires_max)
    return; // the end of one goes on
  auto next = state_.next_wakeup(now);
  if (armed_at_ != 0 && armed_at_ <= next)
    return;
  auto wait = std::clamp<domain::time_us>(next - now, 0, backoff_max);
  armed_at_ = now + wait;
  self_->delayed_send(self_, std::chrono::microseconds(wait),
                      queen::actors::wake{});
}

// A fire is a call like any other: the push and the end of the timer are one
// entry, judged against cancels and dedup on the way.
void runner::start_fire(const timer_ref& which) {
  auto record = state_.stored(which);
  if (!record)
    return;
  if (!port_)
    port_ = std::make_shared<fire_port>(self_);
  auto command = std::make_shared<domain::command>(domain::transaction{});
  auto& call = std::get<domain::transaction>(*command);
  call.request_id = context_->env->new_uuid();
  call.tenant = which.tenant;
  domain::push_item item;
  item.queue = which.queue;
  item.partition = record->partition;
  item.transaction_id = record->txn;
  item.message_id = record->message_id;
  item.payload = record->payload;
  call.pushes.push_back(std::move(item));
  domain::timer_op op;
  op.queue = which.queue;
  op.timer_key = which.timer_key;
  op.message_id = record->message_id;
  op.fire = true;
  call.timers.push_back(std::move(op));
  auto id = ++last_fire_;
  fires_[id] = {which, record->message_id};
  submit out;
  out.requests.push_back({std::move(command), {port_, id}});
  self_->send(door_, std::move(out));
}

void runner::ended(const fire_ended& what) {
  auto i = fires_.find(what.fire);
  if (i == fires_.end())
    return;
  auto fire = std::move(i->second);
  fires_.erase(i);
  auto reply = std::get_if<domain::transaction_reply>(&what.answer);
  if (!reply) {
    state_.again(fire.which, context_->now() + second);
  } else if (reply->reason == domain::refusal::internal) {
    // Another call was faster; what is stored now says when.
    if (auto record = state_.stored(fire.which))
      state_.again(fire.which, record->deliver_at);
  } else if (reply->reason != domain::refusal::none) {
    auto call = ++last_call_;
    refused_fire refused{std::move(fire), reply->error};
    if (timers_.enter(call, {refused.what.which}))
      record_refusal(call, refused);
    else
      refusals_.emplace(call, std::move(refused));
  }
  turn();
}

// Counts the attempt in the timer itself, so that it survives the node; after
// the last one the timer becomes a dead letter of its queue.
void runner::record_refusal(call_id call, const refused_fire& what) {
  auto record = state_.stored(what.what.which);
  if (!record || record->message_id != what.what.message_id) {
    leave(call); // cancelled or scheduled anew meanwhile
    return;
  }
  auto now = context_->now();
  ++record->attempts;
  record->last_error = what.why;
  auto& which = what.what.which;
  auto queue =
    queries::queue_named(*context_->store, which.tenant, which.queue);
  auto entry = std::make_shared<domain::log_entry>();
  entry->stamp = now;
  if (record->attempts >= attempts_max && queue != 0) {
    domain::file_timer_dead_letter letter;
    letter.tenant = which.tenant;
    letter.id = context_->env->new_uuid();
    letter.queue = queue;
    letter.timer = std::move(*record);
    entry->effects.push_back(std::move(letter));
  } else {
    auto shift = std::min<uint32_t>(record->attempts - 1, 6);
    record->deliver_at = now + std::min(backoff_max, second << shift);
    entry->effects.push_back(
      domain::put_timer{which.tenant, std::move(*record)});
  }
  auto waiting = std::make_shared<in_flight>();
  waiting->call = call;
  waiting->listener = self_;
  self_->send(context_->raft, propose{std::move(entry), std::move(waiting)});
}

} // namespace

timer_wheel_actor::behavior_type timer_wheel(timer_wheel_actor::pointer self,
                                             context_ptr context,
                                             group_door door) {
  auto run =
    std::make_shared<runner>(self, std::move(context), std::move(door));
  self->send(self, wake{});
  return {
    [run](ballot& b) { run->asked(std::move(b)); },
    [run](const decided& d) { run->decided(d); },
    [run](const applied& a) { run->on_applied(a); },
    [run](const wake&) { run->wake(); },
    [run](const fire_ended& what) { run->ended(what); },
  };
}

} // namespace queen::actors
