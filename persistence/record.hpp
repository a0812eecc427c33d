// The bytes of one log record. Numbers are little-endian; records begin at
// multiples of 8.
//
//    0  checksum      8   XXH3 of everything from 8 to the payload's end
//    8  incarnation   8   of the segment: names one use of one file
//   16  chain         8   checksum of the record before it in the segment
//   24  batch         8   which write it came with, counted over the log
//   32  length        4   of the payload
//   36  kind          1
//   37  version       1   of this layout
//   38  tag           1   the writer's own mark
//   39  flags         1   bit 0: the last record of its batch
//   40  group         4
//   44  zero          4
//   48  term          8
//   56  index         8
//   64  payload, then zeros up to a multiple of 8
//
// A recycled segment is full of old records with good checksums: a record
// counts only if it names the segment's incarnation and follows its
// predecessor (ARCHITECTURE.md, Traps on this road).

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace queen::persistence {

enum class record_kind : uint8_t {
  entry = 1,      // of a raft group's log
  hard_state = 2, // of a raft group: its newest counts
  seal = 3        // nothing follows in this segment
};

/// What is appended, and what recovery gives back. `payload` may be null.
struct log_append {
  record_kind kind = record_kind::entry;
  uint8_t tag = 0;
  uint32_t group = 0;
  uint64_t term = 0;
  uint64_t index = 0;
  std::shared_ptr<const std::string> payload;
};

inline constexpr uint8_t record_version = 1;
inline constexpr size_t record_header_bytes = 64;
inline constexpr size_t record_payload_bytes_max = 1u << 30;

/// Room that a record takes in a segment.
constexpr size_t record_bytes(size_t payload) {
  return (record_header_bytes + payload + 7) & ~size_t{7};
}

struct record_place {
  uint64_t incarnation = 0;
  uint64_t chain = 0;
  uint64_t batch = 0;
  bool last_of_batch = false;
};

/// Appends the record's bytes to `out`; returns its checksum, the next one's
/// chain.
uint64_t encode_record(const log_append& what, const record_place& where,
                       std::string& out);

enum class record_state : uint8_t {
  good,
  torn,  // checksum or structure is wrong, or the bytes end too early
  stale, // good bytes of another use of the file, or out of its order
  newer  // good bytes of a later version of this layout
};

struct parsed_record {
  record_state state = record_state::torn;
  log_append what; // payload stays null; see `payload`
  std::string_view payload;
  record_place where;
  uint64_t checksum = 0;
  size_t bytes = 0; // to the next record
};

/// Reads the record at the front of `bytes`. Never reads past their end.
/// `incarnation` must match; the caller checks the chain.
parsed_record parse_record(std::string_view bytes, uint64_t incarnation);

} // namespace queen::persistence
