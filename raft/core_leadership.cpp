// What only a leader does: sending its log, reads without a log write, and
// handing over.

#include "raft/core.hpp"

#include "raft/quorum.hpp"

#include <algorithm>

namespace queen::raft {

void core::send_append(node_id to, progress& f) {
  append_request m;
  m.term = state_.term;
  m.commit = commit_;
  m.round = round_;
  // A follower that lacks what a restart has left to the store alone still
  // hears that there is a leader, and refuses.
  m.before_index = std::max(f.next(), log_.first()) - 1;
  m.before_term = log_.term_at(m.before_index);
  size_t bytes = 0;
  auto at = f.next();
  // A full window still gets its heartbeat, without entries.
  if (f.next() >= log_.first() && f.may_send(options_.appends_in_flight_max))
    for (; at <= log_.last() && m.entries.size() < options_.append_entries_max;
         ++at) {
      auto& e = log_.at(at);
      bytes += e.payload ? e.payload->size() : 0;
      if (bytes > options_.append_bytes_max && !m.entries.empty())
        break;
      m.entries.push_back(e);
    }
  f.sent(at - 1);
  out_.appends.push_back({options_.self, to, std::move(m)});
}

// Section 10.2.1: sent on before the answer comes, up to the window; a loss
// shows as a refusal of what follows it.
void core::replicate() {
  for (auto& [id, f] : followers_)
    while (f.next() >= log_.first() && f.next() <= log_.last() &&
           f.may_send(options_.appends_in_flight_max))
      send_append(id, f);
}

result<void> core::read(uint64_t request) {
  if (role_ != role::leader)
    return error{errc::no_leader, "this node does not lead the group"};
  reads_.push_back({request, 0, 0});
  return {};
}

// Section 6.4: the commit index is known to be current once an entry of the
// leader's own term is committed; that nobody replaced it since, once a quorum
// has answered a message sent after the read came in. All reads that wait
// share one round.
void core::begin_reads() {
  if (reads_.empty() || reads_.back().round != 0 || !leads())
    return;
  ++round_;
  for (auto i = reads_.rbegin(); i != reads_.rend() && i->round == 0; ++i) {
    i->round = round_;
    i->after = commit_;
  }
  for (auto& [id, f] : followers_)
    send_append(id, f);
  finish_reads();
}

void core::finish_reads() {
  if (reads_.empty())
    return;
  std::vector<uint64_t> rounds{round_};
  for (auto& [id, f] : followers_)
    rounds.push_back(f.round);
  auto answered = reached_by_majority(std::move(rounds));
  while (!reads_.empty() && reads_.front().round != 0 &&
         reads_.front().round <= answered) {
    out_.reads.push_back({reads_.front().request, reads_.front().after});
    reads_.pop_front();
  }
}

result<void> core::transfer(node_id to) {
  if (role_ != role::leader)
    return error{errc::no_leader, "this node does not lead the group"};
  if (followers_.count(to) == 0)
    return error{errc::not_found, "no other voter has this id"};
  transfer_to_ = to;
  transfer_sent_ = false;
  transfer_ticks_ = 0;
  return {};
}

// Section 3.10: the target must hold the whole log, or it could not win.
void core::finish_transfer() {
  if (transfer_to_ == 0 || transfer_sent_ ||
      followers_.at(transfer_to_).match() != log_.last())
    return;
  transfer_sent_ = true;
  answer(transfer_to_, timeout_now{state_.term});
}

} // namespace queen::raft
