#include "actors/lease/lease_actor.hpp"

#include "actors/lease/batch_lookup.hpp"
#include "actors/node/idle_rest.hpp"

#include <caf/send.hpp>

#include <deque>

namespace queen::actors {

using domain::offset_t;

namespace {

std::optional<domain::cursor_record>
stored_cursor(const persistence::store& store, const lease_identity& me) {
  auto row =
    store.get(domain::key::cursor(me.queue_id, me.group, me.partition));
  if (!row || !*row)
    return std::nullopt;
  auto decoded = domain::decode_cursor(**row);
  return decoded ? std::optional{*decoded} : std::nullopt;
}

class runner {
public:
  runner(lease_actor::pointer self, context_ptr context, group_door door,
         lease_identity identity)
    : self_(self), context_(std::move(context)), me_(std::move(identity)),
      stored_(*context_->store, me_.queue_id, me_.partition),
      state_({me_.queue_id, me_.partition, me_.group},
             stored_cursor(*context_->store, me_)),
      rest_(context_, std::move(door), me_.key) {}

  void asked(ballot b);
  void decided(const queen::actors::decided& d);
  void on_applied(const applied& a);
  void claimed(claim c);
  void on_read(const batch_read& batch);
  void wake();

private:
  struct reading {
    claim what;
    uint64_t token = 0;
    offset_t start = 0; // of a group that has no cursor here
  };

  void judge(const ballot& b);
  void release(call_id call);
  void drain();
  void decline(const claim& c, claim_outcome outcome);
  void skip_read(const claim& c);
  offset_t start_of(const claim& c) const;
  void grant(const claim& c, const batch_read& batch, offset_t from,
             offset_t end);
  std::string partition_name();

  lease_actor::pointer self_;
  context_ptr context_;
  lease_identity me_;
  stored_blocks stored_;
  lease_state state_;
  lease_batch batch_;
  std::optional<call_id> holder_;  // said yes to, until it has applied
  std::optional<reading> reading_; // a claim that waits for its batch
  std::deque<ballot> waiting_;
  uint64_t last_token_ = 0;
  idle_rest rest_;
};

// -- acks and extensions ------------------------------------------------------

void runner::asked(ballot b) {
  rest_.count();
  rest_.used();
  waiting_.push_back(std::move(b));
  drain();
}

void runner::drain() {
  while (!waiting_.empty() && !holder_ && !reading_) {
    auto b = std::move(waiting_.front());
    waiting_.pop_front();
    judge(b);
  }
}

void runner::judge(const ballot& b) {
  vote out;
  out.call = b.call;
  out.slot = b.slot;
  // A ballot may have waited for others since the tenant group saw it.
  auto now = std::max(b.now, context_->now());
  if (b.extend) {
    auto verdict = state_.judge_extend(*b.extend, b.options, now);
    out.extended = std::move(verdict.reply);
    out.effects = std::move(verdict.effects);
  } else {
    batch_lookup messages{batch_, stored_, b.options, now};
    auto verdict =
      state_.judge_acks(*b.what, b.items, b.options, now, messages);
    out.reason = verdict.reason;
    out.error = std::move(verdict.error);
    out.acks = std::move(verdict.acks);
    out.effects = std::move(verdict.effects);
  }
  if (out.reason == domain::refusal::none)
    holder_ = b.call;
  self_->send(b.collector, std::move(out));
}

void runner::release(call_id call) {
  if (holder_ != call)
    return;
  holder_.reset();
  drain();
}

void runner::decided(const queen::actors::decided& d) {
  if (!d.committed)
    release(d.call);
}

void runner::on_applied(const applied& a) {
  for (auto& call : a.calls) {
    if (call.entry)
      for (auto& c : call.entry->cursors)
        if (c.queue == me_.queue_id && c.partition == me_.partition &&
            c.group == me_.group)
          state_.applied(c.cursor);
    auto& row = state_.row();
    if (!row || row->cursor >= row->batch_end)
      batch_.drop();
    release(call.call);
  }
  rest_.used();
}

// -- claims -------------------------------------------------------------------

// The tenant group has counted a read for this claim at the partition.
void runner::skip_read(const claim& c) {
  self_->send(c.partition, read_batch{});
}

void runner::decline(const claim& c, claim_outcome outcome) {
  claim_answer out;
  out.ticket = c.ticket;
  out.partition = me_.partition;
  out.call = c.call;
  out.outcome = outcome;
  self_->send(c.claimant, std::move(out));
}

// Where a group begins that has no cursor here yet (spec/messages.md,
// Subscription modes).
offset_t runner::start_of(const claim& c) const {
  if (state_.row() || !c.subscription)
    return 0;
  auto& group = *c.subscription;
  auto row = stored_.row();
  if (group.mode == domain::subscription_mode::all || !row)
    return 0;
  if (group.mode == domain::subscription_mode::from_new &&
      row->last_index <= group.since_index)
    return row->next;
  return first_offset_where(
    row->log_start, row->next,
    [this](offset_t offset) { return stored_.holding(offset); },
    [&](auto& block) {
      return group.mode == domain::subscription_mode::from_new
               ? block.index() > group.since_index
               : block.created_at() >= group.from;
    });
}

void runner::claimed(claim c) {
  rest_.count();
  rest_.used();
  claim_outcome no;
  no.busy = holder_ || reading_ || !waiting_.empty();
  if (!no.busy)
    no.again_at = state_.busy_until(std::max(c.now, context_->now()));
  if (no.busy || no.again_at != 0) {
    skip_read(c);
    decline(c, no);
    return;
  }
  read_batch read;
  read.token = ++last_token_;
  read.receiver = self_;
  auto start = start_of(c);
  auto range = state_.plan_claim({start, 0, c.batch});
  read.from = range.from;
  read.messages = range.messages;
  read.newest_only = c.subscription && c.subscription->conflation;
  read.options = c.options;
  read.now = c.now;
  auto partition = c.partition;
  reading_ = reading{std::move(c), read.token, start};
  self_->send(partition, std::move(read));
}

void runner::on_read(const batch_read& batch) {
  if (!reading_ || reading_->token != batch.token)
    return;
  auto c = std::move(reading_->what);
  auto start = reading_->start;
  reading_.reset();
  // What the partition reads it clamps to what is retained, as is done here.
  auto range = state_.plan_claim({start, batch.log_start, c.batch});
  auto from = range.from;
  if (!batch.blocks.empty())
    from = std::max(from, batch.blocks.front()->first());
  auto end = batch.deliverable_end;
  bool newest_only = c.subscription && c.subscription->conflation;
  if (newest_only && end > from)
    from = end - 1;
  else
    end = std::min<offset_t>(end, from + range.messages);
  if (batch.blocks.empty() || from >= end) {
    claim_outcome nothing;
    nothing.again_at = batch.again_at;
    decline(c, nothing);
  } else {
    grant(c, batch, from, std::min(end, batch.blocks.back()->end()));
  }
  drain();
}

std::string runner::partition_name() {
  if (me_.partition_name.empty())
    if (auto row = stored_.row())
      me_.partition_name = row->name;
  return me_.partition_name;
}

void runner::grant(const claim& c, const batch_read& batch, offset_t from,
                   offset_t end) {
  auto seconds = c.lease_seconds.value_or(c.options.lease_time);
  lease_state::claim_grant what;
  what.lease_id = c.lease_id;
  what.from = from;
  what.end = end;
  what.expires_at = context_->now() + int64_t{seconds} * 1000000;
  what.auto_ack = c.auto_ack;
  auto granted = state_.grant(what);
  holder_ = c.call;
  claim_answer out;
  out.ticket = c.ticket;
  out.partition = me_.partition;
  out.call = c.call;
  out.lease = self_;
  out.outcome.granted = true;
  out.outcome.messages = static_cast<uint32_t>(end - from);
  out.effects = std::move(granted.effects);
  out.popped.queue = me_.queue;
  out.popped.partition = partition_name();
  out.popped.id = me_.partition;
  out.popped.seen_below = granted.seen_below;
  out.popped.attempt = granted.attempt;
  out.popped.messages.reserve(end - from);
  for (auto& block : batch.blocks) {
    auto first = std::max(from, block->first());
    for (auto at = first; at < std::min(end, block->end()); ++at)
      out.popped.messages.push_back(domain::append_block::view(
        block, static_cast<uint32_t>(at - block->first())));
  }
  if (!c.auto_ack)
    batch_.keep(batch.blocks, from, end);
  self_->send(c.claimant, std::move(out));
}

// -- rest ---------------------------------------------------------------------

void runner::wake() {
  rest_.woken(self_, !holder_ && !reading_ && waiting_.empty());
}

} // namespace

lease_actor::behavior_type lease(lease_actor::pointer self, context_ptr context,
                                 group_door door, lease_identity identity) {
  auto run = std::make_shared<runner>(self, std::move(context), std::move(door),
                                      std::move(identity));
  return {
    [run](ballot& b) { run->asked(std::move(b)); },
    [run](const decided& d) { run->decided(d); },
    [run](const applied& a) { run->on_applied(a); },
    [run](claim& c) { run->claimed(std::move(c)); },
    [run](const batch_read& batch) { run->on_read(batch); },
    [run](const wake&) { run->wake(); },
    [self](const rest&) { self->quit(); },
  };
}

} // namespace queen::actors
