#include "actors/applier/applier_actor.hpp"

#include <caf/send.hpp>

#include <map>

namespace queen::actors {

namespace {

// A batch past this is written before more is added to it: RocksDB copies the
// whole batch once, and the first entries in it should not wait for the last.
constexpr size_t batch_bytes_max = 8 << 20;

struct done_entry {
  std::shared_ptr<const applied_entry> entry;
  std::shared_ptr<const in_flight> waiting;
  bool leads = false;
};

// Gathers what each actor must hear, so that each gets one message a batch.
template <class Handle>
class news {
public:
  void add(const Handle& who, applied_call call) {
    auto [i, fresh] = at_.try_emplace(who.id(), mail_.size());
    if (fresh)
      mail_.push_back({who, {}});
    mail_[i->second].second.calls.push_back(std::move(call));
  }
  template <class Self>
  void send(Self* self) {
    for (auto& [who, what] : mail_)
      self->send(who, std::move(what));
  }

private:
  std::map<caf::actor_id, size_t> at_;
  std::vector<std::pair<Handle, applied>> mail_;
};

struct running {
  applier_wiring wiring;
  std::vector<committed_entry> waiting;
  uint64_t bytes_since_checkpoint = 0;
  bool armed = false;
  bool failed = false;
};

result<void> apply(running& run, committed_entry& c,
                   std::vector<done_entry>& done) {
  auto& state = *run.wiring.state;
  done_entry out;
  out.waiting = std::move(c.waiting);
  out.leads = c.leads;
  if (!c.barrier && !c.entry && !c.bytes) {
    state.pass(c.index, c.term);
  } else if (!c.barrier) {
    if (!c.entry) {
      auto decoded = domain::decode_entry(c.bytes);
      if (!decoded)
        return decoded.reason();
      c.entry = std::make_shared<const domain::log_entry>(std::move(*decoded));
    }
    auto applied = state.apply(c.index, c.term, *c.entry);
    if (!applied)
      return applied.reason();
    out.entry = std::make_shared<const applied_entry>(std::move(*applied));
    if (c.bytes)
      run.bytes_since_checkpoint += c.bytes->size();
    if (state.pending_bytes() > batch_bytes_max)
      if (auto written = state.commit(); !written)
        return written.reason();
  }
  done.push_back(std::move(out));
  return {};
}

void tell(applier_actor::pointer self, running& run,
          const std::vector<done_entry>& done) {
  news<participant_actor> participants;
  news<applied_listener> groups, answering;
  for (auto& d : done) {
    if (d.waiting)
      for (auto& seat : d.waiting->participants)
        participants.add(seat.who, {seat.call, d.entry});
    if (d.entry) {
      // Each group of a touched queue hears of the entry once.
      std::vector<domain::queue_id> queues = d.entry->erased_queues;
      for (auto& a : d.entry->appends)
        queues.push_back(a.queue);
      for (auto& c : d.entry->cursors)
        queues.push_back(c.queue);
      std::sort(queues.begin(), queues.end());
      queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
      for (auto queue : queues)
        for (auto& who : run.wiring.consumers->of(queue))
          groups.add(who, {not_my_call, d.entry});
      if (!d.entry->queues.empty())
        answering.add(run.wiring.tenants, {not_my_call, d.entry});
    }
    if (d.waiting && d.waiting->listener)
      answering.add(d.waiting->listener, {d.waiting->call, d.entry});
  }
  participants.send(self);
  groups.send(self);
  answering.send(self);
  for (auto& d : done)
    if (d.leads)
      self->send(run.wiring.tenants,
                 leading{run.wiring.state->last_stamp(),
                         run.wiring.state->next_queue_id(),
                         run.wiring.state->next_partition_id()});
}

} // namespace

applier_actor::behavior_type applier(applier_actor::pointer self,
                                     applier_wiring wiring) {
  auto run = std::make_shared<running>();
  run->wiring = std::move(wiring);
  return {
    [self, run](committed& batch) {
      std::move(batch.entries.begin(), batch.entries.end(),
                std::back_inserter(run->waiting));
      // What is in the mailbox by now joins the same store write.
      if (!std::exchange(run->armed, true))
        self->send(self, apply_now{});
    },
    [self, run](const apply_now&) {
      run->armed = false;
      if (run->failed)
        return;
      auto entries = std::exchange(run->waiting, {});
      std::vector<done_entry> done;
      done.reserve(entries.size());
      result<void> outcome;
      for (auto& entry : entries) {
        outcome = apply(*run, entry, done);
        if (!outcome)
          break;
      }
      if (outcome)
        outcome = run->wiring.state->commit();
      if (!outcome) {
        run->failed = true;
        run->wiring.fatal(outcome.reason());
        return;
      }
      tell(self, *run, done);
      auto index = run->wiring.state->applied_index();
      self->send(run->wiring.raft, applied_upto{index});
      if (run->bytes_since_checkpoint >= run->wiring.checkpoint_bytes) {
        run->bytes_since_checkpoint = 0;
        self->send(run->wiring.checkpointer,
                   make_checkpoint{run->wiring.store, index, run->wiring.raft});
      }
    },
  };
}

checkpointer_actor::behavior_type
checkpointer(checkpointer_actor::pointer self,
             std::function<void(const error&)> fatal) {
  return {
    [self, fatal = std::move(fatal)](const make_checkpoint& m) {
      if (auto flushed = m.store->flush(); !flushed)
        fatal(flushed.reason());
      else
        self->send(m.listener, checkpointed{m.index});
    },
  };
}

} // namespace queen::actors
