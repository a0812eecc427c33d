// The consensus of one raft group as a pure state machine: messages, ticks and
// proposals in; what to persist, to send and to apply out. No threads, clocks,
// sockets or disk. Follows Ongaro's thesis; each rule names its section.
//
// The caller takes the output, persists `state` and `entries` together, says
// so by `persisted`, and only then sends `messages`. (A leader's appends to
// followers may leave before its own copy is durable, section 10.2.1: those
// are in `appends`.)

#pragma once

#include "raft/entry_log.hpp"
#include "raft/messages.hpp"
#include "raft/progress.hpp"

#include <map>
#include <optional>
#include <set>

namespace queen::raft {

struct options {
  node_id self = 1;
  std::set<node_id> voters{1};
  uint32_t election_ticks = 10; // 1 to 2 times this many, by chance
  uint32_t heartbeat_ticks = 2;
  size_t append_entries_max = 1024;  // in one message
  size_t append_bytes_max = 1 << 20; // of payload, but at least one entry
  size_t appends_in_flight_max = 64; // messages to one follower, unanswered
  uint64_t seed = 1;
};

/// What the node finds on its disk.
struct restored {
  hard_state state;
  index_t snapshot_index = 0; // the state machine holds everything up to here
  term_t snapshot_term = 0;
  std::vector<entry> entries; // after the snapshot, without a gap
};

/// The answer to core::read.
struct read_answer {
  uint64_t request = 0;
  /// Once the state machine has applied up to here, what it holds is current.
  /// Empty: this node stopped leading before it could know.
  std::optional<index_t> after;
};

struct output {
  std::optional<hard_state> state;
  std::vector<entry> entries;    // to persist; replace what has their indexes
  std::vector<message> messages; // after both are durable
  std::vector<message> appends;  // at once
  std::vector<entry> committed;  // to apply, in order
  std::vector<read_answer> reads;
};

enum class role : uint8_t { follower, candidate, leader };

class core {
public:
  /// A group of one elects itself at once: nobody else could.
  core(options given, restored from);

  void tick();
  void step(const message& m);
  /// Leader only: the index that the entry gets, if it commits. Errors:
  /// no_leader.
  result<index_t> propose(std::shared_ptr<const std::string> payload);
  /// Leader only: asks for an index that is safe to read at without a log
  /// write (section 6.4); the answer comes in an output. Errors: no_leader.
  result<void> read(uint64_t request);
  /// Leader only: hands leadership to another voter (section 3.10). Takes no
  /// proposals until that is done or an election timeout has passed. Errors:
  /// no_leader, not_found.
  result<void> transfer(node_id to);
  output take_output();
  /// The entries of an output up to this one, and its state, are durable.
  void persisted(term_t term, index_t index);
  /// The state machine holds everything up to here durably enough for this
  /// node; entries up to here need not stay in memory. In a group of several
  /// only the leader drops any, and none that a follower may lack.
  void compact(index_t index);

  bool is_leader() const { return role_ == role::leader; }
  /// It has committed an entry of its own term, and so knows of all that was
  /// committed before (section 6.4).
  bool leads() const {
    return is_leader() && log_.term_at(commit_) == state_.term;
  }
  queen::raft::role role() const { return role_; }
  node_id leader() const { return leader_; }
  term_t term() const { return state_.term; }
  index_t commit_index() const { return commit_; }
  index_t last_index() const { return log_.last(); }
  /// The last entry that an output has handed over to apply.
  index_t handed_over() const { return handed_over_; }

private:
  struct waiting_read {
    uint64_t request = 0;
    uint64_t round = 0; // 0: not asked yet
    index_t after = 0;
  };

  void on(node_id from, const vote_request& m);
  void on(node_id from, const vote_answer& m);
  void on(node_id from, const append_request& m);
  void on(node_id from, const append_answer& m);
  void on(node_id from, const timeout_now& m);

  void become_follower(term_t term, node_id leader);
  enum class election : uint8_t { trial, timeout, transfer };
  void campaign(election kind);
  void stop_leading();
  void become_leader();
  void add(entry_kind kind, std::shared_ptr<const std::string> payload);
  void send_append(node_id to, progress& f);
  void replicate();
  void begin_reads();
  void finish_reads();
  void finish_transfer();
  void advance_commit();
  bool up_to_date(const vote_request& m) const;
  bool heard_from_leader() const;
  size_t quorum() const;
  void answer(node_id to, decltype(message::what) what);
  void reset_election_timer();

  options options_;
  hard_state state_;
  entry_log log_;
  queen::raft::role role_ = role::follower;
  node_id leader_ = 0;
  index_t commit_ = 0;
  index_t handed_over_ = 0;
  index_t durable_ = 0; // own copy
  index_t unsent_ = 1;  // first entry that no output has carried yet
  bool state_changed_ = false;
  bool trial_ = false; // the campaign is a pre-vote
  std::set<node_id> granted_;
  std::map<node_id, progress> followers_;
  uint32_t elapsed_ = 0;
  uint32_t timeout_ = 0;
  std::deque<waiting_read> reads_;
  uint64_t round_ = 0;
  node_id transfer_to_ = 0;
  bool transfer_sent_ = false;
  uint32_t transfer_ticks_ = 0;
  uint64_t random_;
  output out_;
};

} // namespace queen::raft
