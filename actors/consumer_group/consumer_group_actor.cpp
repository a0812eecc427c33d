#include "actors/consumer_group/consumer_group_actor.hpp"

#include "config/ensure.hpp"

#include <caf/send.hpp>

#include <chrono>

namespace queen::actors {

using domain::partition_id;
using domain::time_us;

namespace {

// One step of a scan: about a millisecond, so that pops and claims of the same
// consumer group go on between the steps.
constexpr int scan_rows = 1024;
// The call id of the entry that stores the subscription.
constexpr call_id subscription_call = not_my_call - 1;

struct open_pop {
  serve_pop what;
  bool gone = false;
  std::vector<claim_answer> granted;
};

class runner {
public:
  runner(consumer_group_actor::pointer self, context_ptr context,
         claim_router door, consumer_group_identity identity)
    : self_(self), context_(std::move(context)), door_(std::move(door)),
      me_(std::move(identity)) {}

  void start();
  void serve(serve_pop pop);
  void cancel(const domain::uuid& request);
  void queue_is(domain::queue_id id);
  void queue_gone();
  void claimed(claim_answer answer);
  void on_applied(const applied& a);
  void wake();
  void read_on(partition_id from);
  void counted() { ++served_; }

private:
  void subscribe(const serve_pop& first);
  void open(serve_pop pop);
  void look_at(partition_id id);
  std::optional<partition_id> find_partition(const std::string& name);
  void pump();
  void claim_for(const start_claim& c);
  void commit(ticket_id id);
  void nothing(ticket_id id);
  void deliver(ticket_id id);
  void hand_back(const open_pop& pop);
  void arm();
  void register_queue();
  void note(const applied_entry& entry);

  consumer_group_actor::pointer self_;
  context_ptr context_;
  claim_router door_;
  consumer_group_identity me_;
  consumer_group_state state_;
  std::optional<domain::group_record> subscription_;
  bool queue_mode_ = false;
  bool subscribing_ = false;
  std::vector<serve_pop> before_subscription_;
  std::map<ticket_id, open_pop> pops_;
  std::map<domain::uuid, ticket_id> by_request_;
  ticket_id last_ticket_ = 0;
  time_us armed_at_ = 0;
  time_us last_used_ = 0;
  uint64_t served_ = 0;
};

void runner::register_queue() {
  if (me_.queue_id != 0)
    context_->consumers->add(me_.queue_id, self_);
}

void runner::start() {
  queue_mode_ = me_.group == domain::queue_mode_group;
  // Registered first, read afterwards: see consumer_directory.
  register_queue();
  if (!me_.queue_stored)
    state_.nothing_stored();
  last_used_ = context_->now();
  if (queue_mode_)
    return;
  auto row =
    context_->store->get(domain::key::group(me_.tenant, me_.queue, me_.group));
  if (!row || !*row)
    return;
  if (auto record = domain::decode_group(**row))
    subscription_ = *record;
}

void runner::serve(serve_pop pop) {
  last_used_ = context_->now();
  if (!queue_mode_ && !subscription_) {
    bool first = !std::exchange(subscribing_, true);
    before_subscription_.push_back(std::move(pop));
    if (first)
      subscribe(before_subscription_.front());
    return;
  }
  open(std::move(pop));
}

// Where a group starts is decided at its first pop and stored before anything
// is delivered to it.
void runner::subscribe(const serve_pop& first) {
  domain::group_record record;
  record.queue = me_.queue;
  record.group = me_.group;
  record.mode = first.what->mode;
  record.from = first.what->from;
  record.conflation = first.what->conflation;
  record.created_at = context_->now();
  auto entry = std::make_shared<domain::log_entry>();
  entry->stamp = record.created_at;
  entry->effects.push_back(domain::put_group{me_.tenant, record});
  subscription_ = record;
  auto waiting = std::make_shared<in_flight>();
  waiting->call = subscription_call;
  waiting->listener = self_;
  self_->send(context_->raft, propose{std::move(entry), std::move(waiting)});
}

std::optional<partition_id> runner::find_partition(const std::string& name) {
  if (me_.queue_id == 0)
    return std::nullopt;
  auto row =
    context_->store->get(domain::key::partition_by_name(me_.queue_id, name));
  if (!row || !*row)
    return std::nullopt;
  auto id = domain::decode_number(**row);
  return id ? std::optional{*id} : std::nullopt;
}

// A pop of one partition need not wait for the scan to come to it.
void runner::look_at(partition_id id) {
  auto row = context_->store->get(domain::key::partition(me_.queue_id, id));
  if (!row || !*row)
    return;
  auto partition = domain::decode_partition(**row);
  if (!partition)
    return;
  auto cursor_row =
    context_->store->get(domain::key::cursor(me_.queue_id, me_.group, id));
  std::optional<domain::cursor_record> cursor;
  if (cursor_row && *cursor_row)
    if (auto decoded = domain::decode_cursor(**cursor_row))
      cursor = *decoded;
  state_.scanned(id, partition->log_start, partition->next, partition->last_at,
                 cursor ? &*cursor : nullptr, context_->now());
}

void runner::open(serve_pop pop) {
  auto id = ++last_ticket_;
  pop_limits limits;
  limits.batch = std::max<uint32_t>(1, pop.what->batch);
  limits.partitions = std::max<uint32_t>(1, pop.what->partitions);
  limits.wait = pop.what->wait;
  limits.deadline = pop.deadline;
  if (pop.what->partition) {
    limits.only = find_partition(*pop.what->partition);
    limits.only_unknown = !limits.only;
    if (limits.only)
      look_at(*limits.only);
  }
  by_request_[pop.what->request_id] = id;
  pops_[id].what = std::move(pop);
  state_.open(id, limits);
  pump();
}

void runner::cancel(const domain::uuid& request) {
  auto early =
    std::find_if(before_subscription_.begin(), before_subscription_.end(),
                 [&](auto& p) { return p.what->request_id == request; });
  if (early != before_subscription_.end()) {
    before_subscription_.erase(early);
    return;
  }
  auto i = by_request_.find(request);
  if (i == by_request_.end())
    return;
  auto id = i->second;
  if (state_.cancel(id)) {
    by_request_.erase(i);
    pops_.erase(id);
  } else {
    pops_.at(id).gone = true;
  }
  pump();
}

void runner::queue_is(domain::queue_id id) {
  if (me_.queue_id == id)
    return;
  queue_gone();
  me_.queue_id = id;
  register_queue();
}

// Whoever waits goes on waiting: the name may come to life again. A group of a
// queue that was deleted and created again starts anew.
void runner::queue_gone() {
  if (me_.queue_id == 0)
    return;
  context_->consumers->remove(me_.queue_id, self_);
  me_.queue_id = 0;
  state_.forget_all();
  if (!subscribing_)
    subscription_.reset();
}

// -- claims -------------------------------------------------------------------

void runner::pump() {
  // Each round may make room for the next: a pop by labels that is taken
  // elsewhere frees the partition that it was about to claim.
  for (auto actions = state_.next(context_->now()); !actions.empty();
       actions = state_.next(context_->now()))
    for (auto& action : actions) {
      if (auto c = std::get_if<start_claim>(&action))
        claim_for(*c);
      else if (auto done = std::get_if<commit_claims>(&action))
        commit(done->ticket);
      else if (auto none = std::get_if<answer_empty>(&action))
        nothing(none->ticket);
      else if (auto scan = std::get_if<scan_partitions>(&action))
        self_->send(self_, read_more{scan->from});
    }
  arm();
}

void runner::claim_for(const start_claim& c) {
  auto& pop = pops_.at(c.ticket);
  if (pop.what.shared && pop.granted.empty()) {
    auto taken = pop.what.shared->take();
    if (taken != shared_pop::taken::mine) {
      // The partition is as it was; ask again shortly unless it is over.
      claim_outcome later;
      later.again_at = context_->now() + 1000;
      state_.claimed(c.ticket, c.partition, later, context_->now());
      if (taken == shared_pop::taken::done) {
        by_request_.erase(pop.what.what->request_id);
        pops_.erase(c.ticket);
        state_.close(c.ticket);
      }
      return;
    }
  }
  auto& what = *pop.what.what;
  route_claim route;
  route.queue = me_.queue_id;
  route.partition = c.partition;
  route.group = me_.group;
  route.what.ticket = c.ticket;
  route.what.claimant = self_;
  // One pop has one lease id, whatever it claims.
  if (!what.auto_ack)
    route.what.lease_id = what.request_id;
  route.what.subscription = subscription_;
  route.what.batch = c.batch;
  route.what.lease_seconds = what.lease_seconds;
  route.what.auto_ack = what.auto_ack;
  self_->send(door_, std::move(route));
}

void runner::claimed(claim_answer answer) {
  auto now = context_->now();
  auto id = answer.ticket;
  state_.claimed(id, answer.partition, answer.outcome, now);
  auto i = pops_.find(id);
  if (i == pops_.end() || i->second.gone) {
    if (answer.outcome.granted)
      self_->send(answer.lease, decided{answer.call, false});
    // Nothing was logged, so the partition is as claimable as before.
    domain::cursor_record as_before;
    if (answer.outcome.granted)
      state_.cursor_moved(answer.partition, as_before, now);
    if (i != pops_.end()) {
      for (auto& g : i->second.granted) {
        self_->send(g.lease, decided{g.call, false});
        state_.cursor_moved(g.partition, as_before, now);
      }
      by_request_.erase(i->second.what.what->request_id);
      pops_.erase(i);
    }
    pump();
    return;
  }
  auto& pop = i->second;
  if (answer.outcome.granted)
    pop.granted.push_back(std::move(answer));
  else if (pop.what.shared && pop.granted.empty())
    pop.what.shared->put_back();
  pump();
}

void runner::commit(ticket_id id) {
  auto& pop = pops_.at(id);
  if (pop.what.shared)
    pop.what.shared->finish();
  auto entry = std::make_shared<domain::log_entry>();
  entry->stamp = context_->now();
  auto waiting = std::make_shared<in_flight>();
  waiting->call = id;
  waiting->listener = self_;
  for (auto& g : pop.granted) {
    std::move(g.effects.begin(), g.effects.end(),
              std::back_inserter(entry->effects));
    waiting->participants.push_back({g.call, g.lease});
  }
  self_->send(context_->raft, propose{std::move(entry), waiting});
}

void runner::nothing(ticket_id id) {
  auto i = pops_.find(id);
  ENSURE(i != pops_.end());
  auto& pop = i->second.what;
  if (!pop.shared || pop.shared->give_up())
    pop.client(domain::pop_reply{{}, {}, me_.group});
  by_request_.erase(pop.what->request_id);
  pops_.erase(i);
  state_.close(id);
}

void runner::deliver(ticket_id id) {
  auto i = pops_.find(id);
  ENSURE(i != pops_.end());
  auto& pop = i->second;
  if (pop.gone) {
    hand_back(pop);
  } else {
    domain::pop_reply reply;
    reply.group = me_.group;
    if (!pop.what.what->auto_ack)
      reply.lease_id = pop.what.what->request_id;
    for (auto& g : pop.granted)
      reply.partitions.push_back(std::move(g.popped));
    pop.what.client(std::move(reply));
  }
  by_request_.erase(pop.what.what->request_id);
  pops_.erase(i);
  state_.close(id);
}

// The lease is committed but nobody is left to work under it: a `retry` of its
// first message ends it and spends nothing.
void runner::hand_back(const open_pop& pop) {
  if (pop.what.what->auto_ack)
    return; // at most once: delivered to nobody is delivered
  domain::transaction release;
  release.request_id = context_->env->new_uuid();
  release.tenant = me_.tenant;
  release.kind = domain::call_kind::ack;
  for (auto& g : pop.granted) {
    domain::ack_item item;
    item.transaction_id = std::string{g.popped.messages.front().transaction_id};
    item.partition = g.partition;
    item.group = me_.group;
    item.lease_id = to_string(pop.what.what->request_id);
    item.status = domain::ack_status::retry;
    release.acks.push_back(std::move(item));
  }
  submit out;
  out.requests.push_back(
    {std::make_shared<const domain::command>(std::move(release)), {}});
  self_->send(door_, std::move(out));
}

// -- news ---------------------------------------------------------------------

void runner::note(const applied_entry& entry) {
  auto now = context_->now();
  for (auto& a : entry.appends)
    if (a.queue == me_.queue_id)
      state_.appended(a.partition, a.end, a.created_at);
  for (auto& c : entry.cursors)
    if (c.queue == me_.queue_id && c.group == me_.group)
      state_.cursor_moved(c.partition, c.cursor, now);
  for (auto id : entry.erased_queues)
    if (id == me_.queue_id)
      queue_gone();
}

void runner::on_applied(const applied& a) {
  for (auto& call : a.calls) {
    if (call.call == subscription_call) {
      subscribing_ = false;
      if (subscription_ &&
          subscription_->mode == domain::subscription_mode::from_new)
        subscription_->since_index = call.entry->index;
      auto waiting = std::move(before_subscription_);
      before_subscription_.clear();
      for (auto& pop : waiting)
        serve(std::move(pop));
    } else if (call.call == not_my_call) {
      note(*call.entry);
    } else {
      deliver(call.call);
    }
  }
  for (auto id : state_.waiting_for_unknown())
    if (auto found = find_partition(*pops_.at(id).what.what->partition)) {
      state_.found(id, *found);
      look_at(*found);
    }
  pump();
}

void runner::read_on(partition_id from) {
  auto now = context_->now();
  auto partitions = context_->store->scan(
    domain::key::partition(me_.queue_id, from),
    domain::key::prefix_end(domain::key::partitions_of(me_.queue_id)));
  auto cursors = context_->store->scan(
    domain::key::cursor(me_.queue_id, me_.group, from),
    domain::key::prefix_end(domain::key::cursors_of(me_.queue_id, me_.group)));
  partitions->seek(domain::key::partition(me_.queue_id, from));
  cursors->seek(domain::key::cursor(me_.queue_id, me_.group, from));
  partition_id next = from;
  for (int rows = 0; rows < scan_rows && partitions->valid();
       ++rows, partitions->next()) {
    domain::queue_id queue = 0;
    partition_id id = 0;
    auto row = domain::decode_partition(partitions->value());
    if (!row || !domain::key::parse_partition(partitions->key(), queue, id))
      continue;
    next = id + 1;
    // Both tables are in order of the partition, so they are read side by side.
    auto wanted = domain::key::cursor(me_.queue_id, me_.group, id);
    while (cursors->valid() && cursors->key() < wanted)
      cursors->next();
    std::optional<domain::cursor_record> cursor;
    if (cursors->valid() && cursors->key() == wanted)
      if (auto decoded = domain::decode_cursor(cursors->value()))
        cursor = *decoded;
    state_.scanned(id, row->log_start, row->next, row->last_at,
                   cursor ? &*cursor : nullptr, now);
  }
  state_.scan_ended(next, !partitions->valid());
  pump();
}

void runner::arm() {
  auto at = state_.next_wakeup();
  auto now = context_->now();
  if (at == 0 && state_.idle())
    at = last_used_ + context_->limits.idle_unload_us;
  if (at == 0 || (armed_at_ > now && armed_at_ <= at))
    return;
  armed_at_ = at;
  self_->delayed_send(self_,
                      std::chrono::microseconds(std::max<int64_t>(at - now, 0)),
                      queen::actors::wake{});
}

void runner::wake() {
  auto now = context_->now();
  if (state_.idle() && before_subscription_.empty() &&
      now - last_used_ >= context_->limits.idle_unload_us) {
    self_->send(door_, offer_rest{me_.key, served_});
    last_used_ = now; // asked again an idle time later when it is refused
  }
  pump();
}

} // namespace

consumer_group_actor::behavior_type
consumer_group(consumer_group_actor::pointer self, context_ptr context,
               claim_router door, consumer_group_identity identity) {
  auto run = std::make_shared<runner>(self, context, std::move(door),
                                      std::move(identity));
  run->start();
  return {
    [run](serve_pop& pop) {
      run->counted();
      run->serve(std::move(pop));
    },
    [run](const cancel_pop& c) {
      run->counted();
      run->cancel(c.request_id);
    },
    [run](const queue_is& q) {
      run->counted();
      run->queue_is(q.id);
    },
    [run](claim_answer& answer) { run->claimed(std::move(answer)); },
    [run](const applied& a) { run->on_applied(a); },
    [run](const wake&) { run->wake(); },
    [run](const read_more& r) { run->read_on(r.from); },
    [self](const rest&) { self->quit(); },
  };
}

} // namespace queen::actors
