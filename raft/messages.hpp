// What the nodes of a group say to each other.

#pragma once

#include "raft/types.hpp"

#include <variant>

namespace queen::raft {

/// RequestVote (section 3.4). `trial` asks whether a vote would be given,
/// without a new term: pre-vote, section 9.6.
struct vote_request {
  term_t term = 0;
  index_t last_index = 0;
  term_t last_term = 0;
  bool trial = false;
  bool transfer = false; // the leader itself asked for it, section 3.10
};
struct vote_answer {
  term_t term = 0;
  bool granted = false;
  bool trial = false;
};

/// AppendEntries (section 3.5), heartbeats too.
struct append_request {
  term_t term = 0;
  index_t before_index = 0;
  term_t before_term = 0;
  index_t commit = 0;
  uint64_t round = 0; // of reads, comes back in the answer; section 6.4
  std::vector<entry> entries;
};
struct append_answer {
  term_t term = 0;
  bool accepted = false;
  /// Accepted: the last entry that is known to match. Refused: where the
  /// leader should look next, an index whose predecessor may match.
  index_t index = 0;
  index_t before_index = 0; // of the request
  uint64_t round = 0;       // of the request
};

/// TimeoutNow (section 3.10): start an election at once.
struct timeout_now {
  term_t term = 0;
};

struct message {
  node_id from = 0;
  node_id to = 0;
  std::variant<vote_request, vote_answer, append_request, append_answer,
               timeout_now>
    what;
};

} // namespace queen::raft
