#include "raft/core.hpp"

#include "config/ensure.hpp"
#include "raft/quorum.hpp"

#include <algorithm>

namespace queen::raft {

core::core(options given, restored from)
  : options_(std::move(given)), state_(from.state),
    log_(from.snapshot_index, from.snapshot_term, std::move(from.entries)),
    commit_(from.snapshot_index), handed_over_(from.snapshot_index),
    durable_(log_.last()), unsent_(log_.last() + 1), random_(options_.seed) {
  ENSURE(options_.voters.count(options_.self) == 1);
  ENSURE(log_.last_term() <= state_.term || log_.last() == 0 ||
         from.snapshot_index == log_.last());
  reset_election_timer();
  if (options_.voters.size() == 1)
    campaign(election::timeout);
}

size_t core::quorum() const {
  return majority(options_.voters.size());
}

// Section 3.4: timeouts are drawn anew each time, so that votes rarely split.
void core::reset_election_timer() {
  elapsed_ = 0;
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  timeout_ = options_.election_ticks +
             static_cast<uint32_t>((random_ >> 33) % options_.election_ticks);
}

void core::answer(node_id to, decltype(message::what) what) {
  out_.messages.push_back({options_.self, to, std::move(what)});
}

void core::tick() {
  ++elapsed_;
  if (role_ == role::leader) {
    if (elapsed_ % options_.heartbeat_ticks == 0)
      for (auto& [id, f] : followers_) {
        f.allow_probe();
        send_append(id, f);
      }
    // Section 3.10: a target that does not take over within an election
    // timeout is given up, and proposals are taken again.
    if (transfer_to_ != 0 && ++transfer_ticks_ >= options_.election_ticks)
      transfer_to_ = 0;
    if (elapsed_ < options_.election_ticks)
      return;
    // Section 6.2: a leader that a quorum has not answered for an election
    // timeout steps down, so that its clients look elsewhere.
    elapsed_ = 0;
    size_t heard = 1;
    for (auto& [id, f] : followers_)
      heard += std::exchange(f.heard, false) ? 1 : 0;
    if (heard < quorum())
      become_follower(state_.term, 0);
  } else if (elapsed_ >= timeout_) {
    // Section 9.6: ask first, without a new term, so that a node that was cut
    // off disturbs nobody when it comes back.
    campaign(election::trial);
  }
}

void core::become_follower(term_t term, node_id leader) {
  if (term > state_.term) {
    state_ = {term, 0};
    state_changed_ = true;
  }
  if (role_ == role::leader)
    stop_leading();
  role_ = role::follower;
  leader_ = leader;
  granted_.clear();
  reset_election_timer();
}

void core::stop_leading() {
  for (auto& r : reads_)
    out_.reads.push_back({r.request, std::nullopt});
  reads_.clear();
  followers_.clear();
  transfer_to_ = 0;
}

void core::campaign(election kind) {
  bool trial = kind == election::trial;
  reset_election_timer();
  role_ = role::candidate;
  leader_ = 0;
  trial_ = trial;
  granted_ = {options_.self};
  if (!trial) {
    state_ = {state_.term + 1, options_.self};
    state_changed_ = true;
  }
  if (granted_.size() >= quorum()) {
    if (trial)
      campaign(election::timeout);
    else
      become_leader();
    return;
  }
  vote_request ask;
  ask.term = trial ? state_.term + 1 : state_.term;
  ask.last_index = log_.last();
  ask.last_term = log_.last_term();
  ask.trial = trial;
  ask.transfer = kind == election::transfer;
  for (auto id : options_.voters)
    if (id != options_.self)
      answer(id, ask);
}

void core::become_leader() {
  role_ = role::leader;
  leader_ = options_.self;
  elapsed_ = 0;
  for (auto id : options_.voters)
    if (id != options_.self)
      followers_.emplace(id, progress{log_.last() + 1});
  // Section 6.4: an entry of its own term, at whose commit the leader knows
  // what is committed; section 3.6.2 forbids counting older ones.
  add(entry_kind::noop, nullptr);
}

void core::add(entry_kind kind, std::shared_ptr<const std::string> payload) {
  log_.append({state_.term, log_.last() + 1, kind, std::move(payload)});
}

result<index_t> core::propose(std::shared_ptr<const std::string> payload) {
  if (role_ != role::leader)
    return error{errc::no_leader, "this node does not lead the group"};
  if (transfer_to_ != 0)
    return error{errc::no_leader, "this node hands leadership over"};
  add(entry_kind::command, std::move(payload));
  return log_.last();
}

void core::persisted(term_t term, index_t index) {
  // What was truncated meanwhile is not in the log any more.
  if (log_.term_at(index) == term)
    durable_ = std::max(durable_, index);
  advance_commit();
}

// Section 3.6.2: an entry of the leader's own term is committed once a quorum
// has it, and everything before it with it.
void core::advance_commit() {
  if (role_ != role::leader)
    return;
  auto agreed = durable_;
  if (!followers_.empty()) { // a group of one allocates nothing here
    std::vector<index_t> held{durable_};
    for (auto& [id, f] : followers_)
      held.push_back(f.match());
    agreed = reached_by_majority(std::move(held));
  }
  if (agreed > commit_ && log_.term_at(agreed) == state_.term)
    commit_ = agreed;
}

void core::compact(index_t index) {
  auto upto = std::min({index, handed_over_, durable_});
  // What a follower lacks it gets from this log alone. Who does not lead does
  // not know what the others lack.
  if (options_.voters.size() > 1 && role_ != role::leader)
    return;
  for (auto& [id, f] : followers_)
    upto = std::min(upto, f.match());
  if (upto >= log_.first())
    log_.compact(upto);
}

output core::take_output() {
  if (role_ == role::leader) {
    begin_reads();
    replicate();
    finish_transfer();
  }
  if (std::exchange(state_changed_, false))
    out_.state = state_;
  for (; unsent_ <= log_.last(); ++unsent_)
    out_.entries.push_back(log_.at(unsent_));
  while (handed_over_ < commit_)
    out_.committed.push_back(log_.at(++handed_over_));
  return std::exchange(out_, {});
}

} // namespace queen::raft
