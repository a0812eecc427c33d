// What the core does on each message.

#include "raft/core.hpp"

#include "config/ensure.hpp"

#include <algorithm>

namespace queen::raft {

void core::step(const message& m) {
  if (m.to != options_.self || options_.voters.count(m.from) == 0)
    return;
  auto term = std::visit([](auto& what) { return what.term; }, m.what);
  auto ask = std::get_if<vote_request>(&m.what);
  auto reply = std::get_if<vote_answer>(&m.what);
  bool trial = (ask && ask->trial) || (reply && reply->trial && reply->granted);
  // Section 4.2.3: whoever hears a leader does not help to replace it.
  if (ask && !ask->transfer && term > state_.term && heard_from_leader())
    return;
  // Section 3.3: a higher term ends whatever role this node has. A trial names
  // a term that nobody has yet.
  if (term > state_.term && !trial)
    become_follower(
      term, std::holds_alternative<append_request>(m.what) ? m.from : 0);
  std::visit([&](auto& what) { on(m.from, what); }, m.what);
}

bool core::heard_from_leader() const {
  return role_ == role::leader ||
         (leader_ != 0 && elapsed_ < options_.election_ticks);
}

// Section 3.6.1: a vote goes only to a log that holds all that may be
// committed.
bool core::up_to_date(const vote_request& m) const {
  return m.last_term > log_.last_term() ||
         (m.last_term == log_.last_term() && m.last_index >= log_.last());
}

void core::on(node_id from, const vote_request& m) {
  if (m.trial) {
    bool would = m.term > state_.term && up_to_date(m);
    answer(from, vote_answer{would ? m.term : state_.term, would, true});
    return;
  }
  bool free = state_.vote == 0 || state_.vote == from;
  bool granted = m.term == state_.term && free && up_to_date(m);
  if (granted) {
    if (state_.vote == 0) {
      state_.vote = from;
      state_changed_ = true;
    }
    role_ = role::follower; // its own trial of this term is over
    reset_election_timer();
  }
  answer(from, vote_answer{state_.term, granted, false});
}

void core::on(node_id from, const vote_answer& m) {
  auto wanted = trial_ ? state_.term + 1 : state_.term;
  if (role_ != role::candidate || m.trial != trial_ || !m.granted ||
      m.term != wanted)
    return;
  granted_.insert(from);
  if (granted_.size() < quorum())
    return;
  if (trial_)
    campaign(election::timeout);
  else
    become_leader();
}

void core::on(node_id from, const append_request& m) {
  auto refuse = [&](index_t look_at) {
    answer(from,
           append_answer{state_.term, false, look_at, m.before_index, m.round});
  };
  if (m.term < state_.term)
    return refuse(0);
  ENSURE(role_ != role::leader); // section 3.2: one leader a term
  role_ = role::follower;
  leader_ = from;
  reset_election_timer();
  // Section 3.5: what does not follow what is here is refused. The answer
  // skips what cannot match, so that the leader finds the place in few steps.
  if (m.before_index > log_.last())
    return refuse(log_.last() + 1);
  auto known = log_.first() - 1;
  if (m.before_index > known && log_.term_at(m.before_index) != m.before_term) {
    auto at = m.before_index;
    auto conflicting = log_.term_at(at);
    while (at > log_.first() && at > commit_ + 1 &&
           log_.term_at(at - 1) == conflicting)
      --at;
    return refuse(at);
  }
  auto matching = m.before_index;
  for (auto& e : m.entries) {
    matching = e.index;
    if (e.index <= known || log_.term_at(e.index) == e.term)
      continue;
    if (log_.has(e.index)) {
      // Section 3.5: a conflict deletes it and all that follow; nothing that
      // is committed ever conflicts.
      ENSURE(e.index > commit_);
      log_.truncate(e.index - 1);
      unsent_ = std::min(unsent_, e.index);
      durable_ = std::min(durable_, e.index - 1);
    }
    log_.append(e);
  }
  commit_ = std::max(commit_, std::min(m.commit, matching));
  answer(from,
         append_answer{state_.term, true, matching, m.before_index, m.round});
}

void core::on(node_id from, const append_answer& m) {
  auto i = followers_.find(from);
  if (role_ != role::leader || m.term != state_.term || i == followers_.end())
    return;
  auto& f = i->second;
  f.heard = true;
  // Section 6.4: a refusal too says that this term still has its followers.
  f.round = std::max(f.round, m.round);
  if (m.accepted) {
    f.accepted(m.index);
    advance_commit();
  } else {
    f.refused(m.before_index, m.index);
  }
  finish_reads();
  // What there is to send now goes with the next output.
}

// Section 3.10: as if the election timeout had passed, without a trial, since
// the leader itself wants to be replaced.
void core::on(node_id from, const timeout_now& m) {
  if (m.term == state_.term && role_ == role::follower && leader_ == from)
    campaign(election::transfer);
}

} // namespace queen::raft
