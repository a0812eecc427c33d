// How many of a group are enough (Ongaro's thesis, section 3.5).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace queen::raft {

/// The smallest number of `voters` of which any two sets overlap.
constexpr size_t majority(size_t voters) {
  return voters / 2 + 1;
}

/// The highest value that a majority has reached; one value a voter, at least
/// one. Of log indexes it is what may be committed, of rounds what is heard.
uint64_t reached_by_majority(std::vector<uint64_t> values);

} // namespace queen::raft
