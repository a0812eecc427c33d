// One file of the log: a header in a block of its own, then records.
//
//    0  "QUEENLOG"   8
//    8  version      4
//   12  zero         4
//   16  sequence     8   position of the segment in the log
//   24  incarnation  8   differs each time that a file is used
//   32  capacity     8   of the file, header included
//   40  batch        8   the first write that went into it
//   48  checksum     8   XXH3 of bytes 0 to 48
//
// Records begin at byte 4096. The file is written to its whole length before
// it is used, because here an overwrite syncs in half the time of an append
// that grows the file (MEASURED.md, 6).

#pragma once

#include "persistence/disk.hpp"
#include "persistence/record.hpp"

#include <functional>

namespace queen::persistence {

inline constexpr uint64_t segment_header_bytes = 4096;
inline constexpr uint32_t segment_version = 1;

struct segment_header {
  uint64_t sequence = 0;
  uint64_t incarnation = 0;
  uint64_t capacity = 0;
  uint64_t batch = 0;
};

std::string encode(const segment_header& header);
/// Errors: damaged, format_newer; `name` is for their text.
result<segment_header> decode_segment_header(std::string_view bytes,
                                             const std::string& name);

/// `segment-0000000000000001.log` and back; nullopt for other names.
std::string segment_name(uint64_t sequence);
std::optional<uint64_t> segment_sequence(std::string_view name);

/// What reading a segment from its start found.
struct segment_scan {
  segment_header header;
  uint64_t end = segment_header_bytes; // where the next record would go
  uint64_t chain = 0;                  // of the last good record
  uint64_t last_batch = 0;
  bool batch_complete = true; // the last good record ended its batch
  bool sealed = false;
  /// Behind `end` lies at least one good record of this incarnation.
  bool survivor = false;
  uint64_t survivor_batch = 0;
};

/// Reads all records, in order, and hands over each but the seal. Errors:
/// io_failed, damaged (header, a file shorter than its header says),
/// format_newer, and whatever `on_record` answers.
result<segment_scan>
scan_segment(file& from, const std::string& name,
             const std::function<result<void>(log_append)>& on_record);

} // namespace queen::persistence
