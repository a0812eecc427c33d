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
  if (ask && term > state_.term && heard_from_leader())
    return;
  // Section 3.3: a higher term ends whatever role this node has. A trial names
  // a term that nobody has yet.
  if (term > state_.term && !trial)
    become_follower(term,
                    std::holds_alternative<append_request>(m.what) ? m.from : 0);
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
  bool granted = m.term == state_.term && free && role_ == role::follower &&
                 up_to_date(m);
  if (granted) {
    if (state_.vote == 0) {
      state_.vote = from;
      state_changed_ = true;
    }
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
    campaign(false);
  else
    become_leader();
}

void core::on(node_id from, const append_request& m) {
  if (m.term < state_.term) {
    answer(from, append_answer{state_.term, false, 0});
    return;
  }
  ENSURE(role_ != role::leader); // section 3.2: one leader a term
  role_ = role::follower;
  leader_ = from;
  reset_election_timer();
  // Section 3.5: what does not follow what is here is refused. The answer
  // skips what cannot match, so that the leader finds the place in few steps.
  if (m.before_index > log_.last()) {
    answer(from, append_answer{state_.term, false, log_.last() + 1});
    return;
  }
  auto known = log_.first() - 1;
  if (m.before_index > known &&
      log_.term_at(m.before_index) != m.before_term) {
    auto at = m.before_index;
    auto conflicting = log_.term_at(at);
    while (at > log_.first() && at > commit_ + 1 &&
           log_.term_at(at - 1) == conflicting)
      --at;
    answer(from, append_answer{state_.term, false, at});
    return;
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
  answer(from, append_answer{state_.term, true, matching});
}

void core::on(node_id from, const append_answer& m) {
  auto i = followers_.find(from);
  if (role_ != role::leader || m.term != state_.term || i == followers_.end())
    return;
  auto& f = i->second;
  f.heard = true;
  if (m.accepted) {
    f.match = std::max(f.match, m.index);
    f.next = std::max(f.next, f.match + 1);
    advance_commit();
  } else {
    // Never below what is known to match: an old refusal changes nothing.
    f.next = std::max(f.match + 1, std::min(f.next, m.index));
    send_append(from);
  }
}

void core::send_append(node_id to) {
  auto& f = followers_.at(to);
  append_request m;
  m.term = state_.term;
  m.commit = commit_;
  f.next = std::max(f.next, log_.first());
  m.before_index = f.next - 1;
  m.before_term = log_.term_at(m.before_index);
  for (auto at = f.next;
       at <= log_.last() && m.entries.size() < options_.append_entries_max; ++at)
    m.entries.push_back(log_.at(at));
  // Section 10.2.1: sent on before the answer comes; a loss shows as a refusal.
  f.next += m.entries.size();
  out_.appends.push_back({options_.self, to, std::move(m)});
}

} // namespace queen::raft
