#include "actors/raft/raft_actor.hpp"

#include "config/ensure.hpp"

#include <caf/send.hpp>

#include <deque>

namespace queen::actors {

namespace {

class runner {
public:
  runner(raft_actor::pointer self, raft_wiring wiring)
    : self_(self), core_(std::move(wiring.core)), log_(std::move(wiring.log)),
      status_(std::move(wiring.status)), group_(wiring.group) {}

  void start(start_raft everybody);
  void propose(queen::actors::propose& what);
  void run();
  void on_written(uint64_t token);
  void on_applied(uint64_t index);
  void on_checkpointed(uint64_t index);

private:
  struct proposal {
    uint64_t index = 0;
    std::shared_ptr<const domain::log_entry> entry;
    std::shared_ptr<const in_flight> waiting;
  };
  struct barrier {
    uint64_t after = 0; // everything up to here must apply first
    std::shared_ptr<const in_flight> waiting;
  };
  struct unsynced {
    uint64_t token = 0;
    raft::term_t term = 0;
    raft::index_t index = 0; // of the last entry in the write; 0: none
  };

  void arm();
  void hand_over(std::vector<raft::entry> entries);
  committed_entry dress(raft::entry& e);

  raft_actor::pointer self_;
  std::shared_ptr<raft::core> core_;
  log_writer_actor log_;
  std::shared_ptr<group_status> status_;
  uint32_t group_;
  std::optional<start_raft> others_;
  std::deque<proposal> proposals_;
  std::deque<barrier> barriers_;
  std::deque<unsynced> unsynced_;
  uint64_t last_token_ = 0;
  uint64_t last_proposed_ = 0;
  uint64_t handed_over_ = 0; // to the applier
  bool armed_ = false;
};

void runner::start(start_raft everybody) {
  others_ = std::move(everybody);
  handed_over_ = core_->handed_over();
  last_proposed_ = core_->last_index();
  run();
}

void runner::arm() {
  if (!std::exchange(armed_, true))
    self_->send(self_, run_core{});
}

void runner::propose(queen::actors::propose& what) {
  if (!what.entry) {
    barriers_.push_back({last_proposed_, std::move(what.waiting)});
    arm();
    return;
  }
  auto bytes = std::make_shared<const std::string>(encode(*what.entry));
  auto index = core_->propose(std::move(bytes));
  if (!index)
    return; // no longer the leader; the caller's deadline answers `timeout`
  last_proposed_ = *index;
  proposals_.push_back(
    {*index, std::move(what.entry), std::move(what.waiting)});
  arm();
}

void runner::run() {
  armed_ = false;
  if (!others_)
    return;
  auto out = core_->take_output();
  write_records write;
  if (out.state) {
    persistence::log_append record;
    record.kind = persistence::record_kind::hard_state;
    record.group = group_;
    record.term = out.state->term;
    record.payload =
      std::make_shared<const std::string>(raft::encode(*out.state));
    write.records.push_back(std::move(record));
  }
  for (auto& e : out.entries)
    write.records.push_back({persistence::record_kind::entry,
                             static_cast<uint8_t>(e.kind), group_, e.term,
                             e.index, e.payload});
  if (!write.records.empty()) {
    unsynced next;
    next.token = write.token = ++last_token_;
    if (!out.entries.empty()) {
      next.term = out.entries.back().term;
      next.index = out.entries.back().index;
    }
    unsynced_.push_back(next);
    write.listener = self_;
    self_->send(log_, std::move(write));
  }
  hand_over(std::move(out.committed));
  status_->term.store(core_->term(), std::memory_order_relaxed);
  status_->commit.store(core_->commit_index(), std::memory_order_relaxed);
}

committed_entry runner::dress(raft::entry& e) {
  committed_entry out;
  out.index = e.index;
  out.term = e.term;
  // Proposals of an earlier leadership whose entries another leader replaced.
  while (!proposals_.empty() && proposals_.front().index < e.index)
    proposals_.pop_front();
  if (e.kind == raft::entry_kind::command)
    out.bytes = std::move(e.payload);
  else if (core_->is_leader() && e.term == core_->term())
    out.leads = true;
  if (!proposals_.empty() && proposals_.front().index == e.index) {
    out.entry = std::move(proposals_.front().entry);
    out.waiting = std::move(proposals_.front().waiting);
    proposals_.pop_front();
  }
  return out;
}

void runner::hand_over(std::vector<raft::entry> entries) {
  committed batch;
  batch.entries.reserve(entries.size());
  auto pass_barriers = [&] {
    while (!barriers_.empty() && barriers_.front().after <= handed_over_) {
      committed_entry passed;
      passed.barrier = true;
      passed.waiting = std::move(barriers_.front().waiting);
      passed.leads = !passed.waiting;
      batch.entries.push_back(std::move(passed));
      barriers_.pop_front();
    }
  };
  pass_barriers();
  for (auto& e : entries) {
    ENSURE(e.index == handed_over_ + 1);
    handed_over_ = e.index;
    batch.entries.push_back(dress(e));
    pass_barriers();
  }
  for (auto& e : batch.entries)
    if (e.leads)
      status_->leads.store(true);
  if (!batch.entries.empty())
    self_->send(others_->applier, std::move(batch));
}

void runner::on_written(uint64_t token) {
  while (!unsynced_.empty() && unsynced_.front().token <= token) {
    auto& done = unsynced_.front();
    if (done.index != 0)
      core_->persisted(done.term, done.index);
    unsynced_.pop_front();
  }
  run();
}

void runner::on_applied(uint64_t index) {
  // A group of one has no follower that could want them again.
  core_->compact(index);
  status_->applied.store(index, std::memory_order_relaxed);
}

void runner::on_checkpointed(uint64_t index) {
  self_->send(log_, release_log{group_, index});
}

} // namespace

raft_actor::behavior_type raft_group(raft_actor::pointer self,
                                     raft_wiring wiring) {
  auto run = std::make_shared<runner>(self, std::move(wiring));
  return {
    [run](propose& what) { run->propose(what); },
    [run](const written& w) { run->on_written(w.token); },
    [run](const applied_upto& a) { run->on_applied(a.index); },
    [run](const checkpointed& c) { run->on_checkpointed(c.index); },
    [run](start_raft& everybody) { run->start(std::move(everybody)); },
    [run](const run_core&) { run->run(); },
  };
}

} // namespace queen::actors
