#include "actors/tenant_group/sequencer.hpp"

#include "actors/domain/rows.hpp"
#include "actors/query/query_actor.hpp"

#include <caf/send.hpp>

#include <chrono>

namespace queen::actors {

using domain::refusal;

namespace {

constexpr auto discovery_tick = std::chrono::milliseconds(100);

} // namespace

sequencer::sequencer(tenant_group_actor::pointer self, context_ptr context,
                     const leading& start)
  : self_(self), context_(std::move(context)) {
  load_queues();
  queues_.set_next_ids(start.next_queue, start.next_partition);
  directory_.wheel =
    self_->spawn<caf::monitored>(timer_wheel, context_, group_door{self_});
}

void sequencer::load_queues() {
  auto all = domain::key::all_queues();
  auto rows = context_->store->scan(all, domain::key::prefix_end(all));
  for (rows->seek(all); rows->valid(); rows->next())
    if (auto record = domain::decode_queue(rows->value()))
      queues_.load(std::move(*record));
}

void sequencer::stop() {
  auto end = [this](const auto& who) {
    self_->send_exit(who, caf::exit_reason::user_shutdown);
  };
  for (auto& [key, p] : directory_.partitions)
    end(p.who);
  for (auto& [key, l] : directory_.leases)
    end(l.who);
  for (auto& [key, g] : directory_.groups)
    end(g.who);
  for (auto& [key, k] : directory_.kvs)
    end(k.who);
  end(directory_.wheel);
}

void sequencer::run(request r) {
  auto& what = r.what;
  // Shares the command's ownership without copying what it holds.
  auto share = [&what](auto& part) {
    return std::shared_ptr<std::remove_reference_t<decltype(part)>>(what,
                                                                    &part);
  };
  if (auto t = std::get_if<domain::transaction>(what.get()))
    on(share(*t), std::move(r.client));
  else if (auto p = std::get_if<domain::pop>(what.get()))
    on(share(*p), std::move(r.client));
  else if (auto e = std::get_if<domain::extend_lease>(what.get()))
    on(share(*e), std::move(r.client));
  else if (auto c = std::get_if<domain::configure_queue>(what.get()))
    on(*c, std::move(r.client));
  else if (auto d = std::get_if<domain::delete_queue>(what.get()))
    on(*d, std::move(r.client));
  else
    query(what, std::move(r.client));
}

// -- transactions -------------------------------------------------------------

void sequencer::on(std::shared_ptr<const domain::transaction> what,
                   domain::reply_to client) {
  auto call = std::make_shared<open_call>();
  call->call = ++last_call_;
  call->max_entry_bytes = context_->limits.max_entry_bytes;
  call->what = std::move(what);
  call->now = context_->now();
  call->raft = context_->raft;
  call->client = std::move(client);
  std::vector<ballot> ballots;
  std::vector<vote> settled; // refused before anybody had to be asked
  seat_acks(*call, ballots, settled);
  seat_pushes(*call, ballots, settled);
  auto seat_all = [&](participant_kind kind, size_t count,
                      participant_actor who) {
    ballot b;
    b.slot = static_cast<uint32_t>(call->seats.size());
    for (uint32_t i = 0; i < count; ++i)
      b.items.push_back(i);
    call->seats.push_back({kind, b.items});
    call->participants.push_back(std::move(who));
    ballots.push_back(std::move(b));
  };
  if (!call->what->kv.empty()) {
    auto& k = kv(call->what->tenant);
    ++k.sent;
    seat_all(participant_kind::kv, call->what->kv.size(), k.who);
  }
  if (!call->what->timers.empty())
    seat_all(participant_kind::timer_wheel, call->what->timers.size(),
             directory_.wheel);
  open(std::move(call), std::move(ballots), std::move(settled));
}

// Acks of one (partition, group) are one participant's business, whatever
// their order in the call.
void sequencer::seat_acks(open_call& call, std::vector<ballot>& ballots,
                          std::vector<vote>& settled) {
  auto& what = *call.what;
  bool whole = what.kind == domain::call_kind::transaction;
  std::map<std::pair<domain::partition_id, std::string_view>, size_t> seats;
  for (uint32_t i = 0; i < what.acks.size(); ++i) {
    auto& ack = what.acks[i];
    auto seat = seats.find({ack.partition, ack.group});
    if (seat != seats.end()) {
      auto slot = seat->second;
      call.seats[slot].items.push_back(i);
      for (auto& b : ballots)
        if (b.slot == slot)
          b.items.push_back(i);
      continue;
    }
    auto slot = static_cast<uint32_t>(call.seats.size());
    auto queue = owner(what.tenant, ack.partition);
    if (!queue && !whole)
      continue; // reported as an unknown partition, item by item
    seats[{ack.partition, ack.group}] = slot;
    call.seats.push_back({participant_kind::lease, {i}});
    if (!queue) {
      vote no;
      no.slot = slot;
      no.reason = refusal::rejected_ack;
      no.error = "unknown partition";
      settled.push_back(std::move(no));
      call.participants.emplace_back();
      continue;
    }
    auto& l = lease(*queue, ack.partition, ack.group);
    ++l.sent;
    call.participants.push_back(l.who);
    ballot b;
    b.slot = slot;
    b.items = {i};
    b.options = queue->record.options;
    ballots.push_back(std::move(b));
  }
}

void sequencer::seat_pushes(open_call& call, std::vector<ballot>& ballots,
                            std::vector<vote>& settled) {
  auto& what = *call.what;
  std::map<std::pair<std::string_view, std::string_view>, size_t> seats;
  std::map<std::string_view, bool> ensured;
  for (uint32_t i = 0; i < what.pushes.size(); ++i) {
    auto& item = what.pushes[i];
    auto seat = seats.find({item.queue, item.partition});
    if (seat != seats.end()) {
      auto slot = seat->second;
      call.seats[slot].items.push_back(i);
      for (auto& b : ballots)
        if (b.slot == slot)
          b.items.push_back(i);
      continue;
    }
    auto slot = static_cast<uint32_t>(call.seats.size());
    seats[{item.queue, item.partition}] = slot;
    call.seats.push_back({participant_kind::partition, {i}});
    if (item.queue.size() > domain::name_bytes_max ||
        item.partition.size() > domain::name_bytes_max) {
      vote no;
      no.slot = slot;
      no.reason = refusal::name_too_long;
      no.error = "a queue or partition name is over " +
                 std::to_string(domain::name_bytes_max) + " bytes";
      settled.push_back(std::move(no));
      call.participants.emplace_back();
      continue;
    }
    auto& queue = ensure_queue(what.tenant, item.queue);
    if (!queue.stored && !std::exchange(ensured[item.queue], true))
      call.preamble.push_back(domain::put_queue{queue.record, true});
    auto& p = partition(queue, item.partition);
    ++p.sent;
    call.participants.push_back(p.who);
    ballot b;
    b.slot = slot;
    b.items = {i};
    b.options = queue.record.options;
    ballots.push_back(std::move(b));
  }
}

// The transaction actor first, then every ballot, before the next command is
// looked at: all participants see calls in one order.
void sequencer::open(std::shared_ptr<open_call> call,
                     std::vector<ballot> ballots, std::vector<vote> settled) {
  if (call->seats.empty()) {
    transaction_state nothing{call->what, call->extend, {}, {}};
    call->client(nothing.answer(nullptr));
    return;
  }
  auto participants = call->participants;
  // Seats that nobody sits on are told nothing later on.
  std::erase_if(call->participants, [](auto& p) { return !p; });
  auto id = call->call;
  auto now = call->now;
  auto what = call->what;
  auto extend = call->extend;
  vote_collector collector = self_->spawn(transaction, std::move(call));
  for (auto& v : settled) {
    v.call = id;
    self_->send(collector, std::move(v));
  }
  for (auto& b : ballots) {
    b.call = id;
    b.what = what;
    b.extend = extend;
    b.now = now;
    b.collector = collector;
    auto slot = b.slot;
    self_->send(participants[slot], std::move(b));
  }
}

void sequencer::on(std::shared_ptr<const domain::extend_lease> what,
                   domain::reply_to client) {
  auto call = std::make_shared<open_call>();
  call->call = ++last_call_;
  call->max_entry_bytes = context_->limits.max_entry_bytes;
  call->extend = what;
  call->now = context_->now();
  call->raft = context_->raft;
  call->client = std::move(client);
  std::vector<ballot> ballots;
  if (auto id = domain::parse_uuid(what->lease_id)) {
    auto prefix = domain::key::leases_of(*id);
    auto rows = context_->store->scan(prefix, domain::key::prefix_end(prefix));
    for (rows->seek(prefix); rows->valid(); rows->next()) {
      auto row = domain::decode_lease(rows->value());
      domain::uuid lease_id;
      domain::partition_id partition_id = 0;
      if (!row || row->tenant != what->tenant ||
          !domain::key::parse_lease(rows->key(), lease_id, partition_id))
        continue;
      auto queue = queues_.by_id(row->queue);
      if (!queue)
        continue;
      auto& l = lease(*queue, partition_id, row->group);
      ++l.sent;
      ballot b;
      b.slot = static_cast<uint32_t>(call->seats.size());
      b.items = {b.slot};
      b.options = queue->record.options;
      call->seats.push_back({participant_kind::lease, b.items});
      call->participants.push_back(l.who);
      ballots.push_back(std::move(b));
    }
  }
  open(std::move(call), std::move(ballots), {});
}

// -- pops ---------------------------------------------------------------------

void sequencer::serve(const std::string& queue,
                      std::shared_ptr<const domain::pop> pop,
                      const domain::reply_to& client, domain::time_us deadline,
                      std::shared_ptr<shared_pop> shared) {
  auto& g = group(pop->tenant, queue, pop->group);
  ++g.sent;
  self_->send(g.who, serve_pop{pop, client, deadline, std::move(shared)});
}

void sequencer::on(std::shared_ptr<const domain::pop> pop,
                   domain::reply_to client) {
  auto deadline = context_->now() + int64_t{pop->timeout_ms} * 1000;
  if (pop->queue) {
    serve(*pop->queue, pop, client, deadline, nullptr);
    return;
  }
  auto queues = queues_.labelled(pop->tenant, pop->name_space, pop->task);
  // The tenant group is a member itself while the pop may wait, for queues
  // that come to be meanwhile; otherwise it leaves at once.
  auto shared =
    std::make_shared<shared_pop>(static_cast<int>(queues.size()) + 1);
  for (auto q : queues)
    serve(q->record.name, pop, client, deadline, shared);
  if (pop->wait) {
    if (discoveries_.empty())
      self_->delayed_send(self_, discovery_tick, wake{});
    discoveries_.push_back({pop, client, deadline, shared});
  } else if (shared->give_up()) {
    client(domain::pop_reply{{}, {}, pop->group});
  }
}

void sequencer::tick() {
  auto now = context_->now();
  std::erase_if(discoveries_, [now](auto& d) {
    if (d.shared->done())
      return true;
    if (now < d.deadline)
      return false;
    if (d.shared->give_up())
      d.client(domain::pop_reply{{}, {}, d.what->group});
    return true;
  });
  if (!discoveries_.empty())
    self_->delayed_send(self_, discovery_tick, wake{});
}

void sequencer::forget(const domain::pop& pop) {
  std::erase_if(discoveries_,
                [&](auto& d) { return d.what->request_id == pop.request_id; });
  std::vector<std::string> names;
  if (pop.queue)
    names.push_back(*pop.queue);
  else
    for (auto q : queues_.labelled(pop.tenant, pop.name_space, pop.task))
      names.push_back(q->record.name);
  for (auto& name : names) {
    auto key = directory::group_key(pop.tenant, name, pop.group);
    auto g = directory_.groups.find(key);
    if (g == directory_.groups.end())
      continue;
    ++g->second.sent;
    self_->send(g->second.who, cancel_pop{pop.request_id});
  }
}

void sequencer::route(route_claim claim) {
  auto queue = queues_.by_id(claim.queue);
  auto p = queue ? partition(claim.queue, claim.partition) : nullptr;
  if (!p) {
    // Deleted meanwhile.
    claim_answer nothing;
    nothing.ticket = claim.what.ticket;
    nothing.partition = claim.partition;
    self_->send(claim.what.claimant, std::move(nothing));
    return;
  }
  claim.what.call = ++last_call_;
  claim.what.partition = p->who;
  claim.what.options = queue->record.options;
  claim.what.now = context_->now();
  ++p->sent; // the lease will read from it
  auto& l = lease(*queue, claim.partition, claim.group);
  ++l.sent;
  self_->send(l.who, std::move(claim.what));
}

// -- queues -------------------------------------------------------------------

void sequencer::log(domain::effect what, domain::reply_to client,
                    domain::reply answer) {
  auto entry = std::make_shared<domain::log_entry>();
  entry->stamp = context_->now();
  entry->effects.push_back(std::move(what));
  auto waiting = std::make_shared<in_flight>();
  waiting->call = ++last_call_;
  waiting->listener = self_;
  own_[waiting->call] = {std::move(client), std::move(answer)};
  self_->send(context_->raft, propose{std::move(entry), std::move(waiting)});
}

void sequencer::on(const domain::configure_queue& what,
                   domain::reply_to client) {
  bool fresh = queues_.find(what.tenant, what.queue) == nullptr;
  auto& queue = queues_.configure(what, context_->now());
  if (fresh)
    announce(queue);
  log(domain::put_queue{queue.record, false}, std::move(client),
      domain::configure_reply{queue.record});
}

void sequencer::on(const domain::delete_queue& what, domain::reply_to client) {
  auto queue = queues_.find(what.tenant, what.queue);
  if (!queue) {
    client(domain::delete_queue_reply{false});
    return;
  }
  domain::erase_queue erase{what.tenant, queue->record.id, what.queue};
  std::erase_if(owners_, [&](auto& o) { return o.second == erase.queue; });
  queues_.erase(what.tenant, what.queue);
  log(std::move(erase), std::move(client), domain::delete_queue_reply{true});
}

void sequencer::on_applied(const applied& a) {
  for (auto& call : a.calls) {
    for (auto& q : call.entry->queues)
      queues_.stored(q.id);
    auto i = own_.find(call.call);
    if (i == own_.end())
      continue;
    i->second.client(std::move(i->second.answer));
    own_.erase(i);
  }
}

void sequencer::query(std::shared_ptr<const domain::command> what,
                      domain::reply_to client) {
  self_->spawn(queen::actors::query, context_, std::move(what),
               std::move(client));
}

} // namespace queen::actors
