// The words of consensus (Ongaro's thesis, chapter 3).

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace queen::raft {

using term_t = uint64_t;
using index_t = uint64_t;
using node_id = uint64_t; // 0: none

enum class entry_kind : uint8_t {
  command = 1, // of the state machine above
  noop = 2     // a new leader's first, section 6.4
};

struct entry {
  term_t term = 0;
  index_t index = 0;
  entry_kind kind = entry_kind::command;
  std::shared_ptr<const std::string> payload; // null for a noop
};

/// What a node must not forget before it answers (figure 3.1, persistent
/// state).
struct hard_state {
  term_t term = 0;
  node_id vote = 0; // in this term

  bool operator==(const hard_state&) const = default;
};

std::string encode(const hard_state& state);
/// Errors: damaged, format_newer.
result<hard_state> decode_hard_state(std::string_view bytes);

} // namespace queen::raft
