// The write-ahead log of a node: one for all of its raft groups, so that one
// `fdatasync` serves whatever waits (spec/cluster.md, What an answered write
// means). Records of the groups are interleaved in segments, which are written
// full of zeros before they are used and used again when every group has
// released them.
//
// After a crash the end of the log may be torn: what was being written then is
// there in part. Recovery cuts it. Anything else that does not fit is damage,
// and recovery refuses with file, offset and reason. The two are told apart by
// the batch that each record names: a batch is written only after the one
// before it was synced, so a hole with a later batch behind it is damage. What
// cannot be told apart: the very last batch, torn, from the very last batch,
// synced and then damaged; both are cut.
//
// One thread at a time.

#pragma once

#include "persistence/segment.hpp"

#include <deque>
#include <map>

namespace queen::persistence {

struct log_options {
  uint64_t segment_bytes = 64ull << 20; // a multiple of unbuffered_block
  /// Released segments kept to be used again.
  size_t spares_max = 2;
  /// Sets this use of a file apart from all others: any number that differs
  /// from boot to boot.
  uint64_t incarnation_seed = 1;
  /// The directory was used before: one without a segment is damage.
  bool must_exist = false;
};

class log {
public:
  using on_record = std::function<result<void>(log_append)>;

  /// Replays every record, in the order in which they were appended; of a
  /// group's entries with one index the last one counts and ends what came
  /// after the earlier one. Errors: io_failed, damaged, format_newer.
  static result<std::unique_ptr<log>> open(disk& on, std::string directory,
                                           log_options options,
                                           const on_record& replay);

  /// All of it survives a crash when this returns. After an error the log
  /// takes nothing any more: nobody knows what the disk holds.
  result<void> append(std::span<const log_append> records);

  /// The group needs no entry up to and with `index`. Frees segments that
  /// nobody needs; the newest hard state of every group stays.
  result<void> release(uint32_t group, uint64_t index);

  /// Does a bounded part of the work for the next segment, so that `append`
  /// need not: call between appends.
  result<void> prepare_spare();

  uint64_t segments() const { return live_.size(); }
  uint64_t bytes() const;

private:
  struct live_segment {
    uint64_t sequence = 0;
    uint64_t capacity = 0;
    std::map<uint32_t, uint64_t> newest; // highest index of a group in it
  };
  struct kept_state {
    log_append what;
    uint64_t sequence = 0; // of the segment that holds it
  };

  log(disk& on, std::string directory, log_options options);
  result<void> recover(const on_record& replay);
  result<void> recover_segment(uint64_t sequence, bool last,
                               const on_record& replay);
  void note(const log_append& what);
  result<void> write(std::span<const log_append> records);
  result<void> write_batch(std::span<const log_append> records);
  result<void> continue_at(uint64_t position);
  result<void> seal();
  result<void> next_segment(uint64_t at_least);
  result<void> free_front();
  std::string path(const std::string& name) const;
  uint64_t new_incarnation();

  disk& disk_;
  std::string directory_;
  log_options options_;
  std::deque<live_segment> live_;
  std::unique_ptr<file> current_;
  uint64_t incarnation_ = 0;
  uint64_t position_ = 0; // of the next record in the current segment
  uint64_t chain_ = 0;
  uint64_t batch_ = 0;
  std::map<uint32_t, uint64_t> released_;
  std::map<uint32_t, kept_state> states_;
  std::vector<std::string> spares_;
  std::unique_ptr<file> filling_; // the spare that is being written
  uint64_t filled_ = 0;
  uint64_t spare_number_ = 0;
  uint64_t incarnations_ = 0;
  // Writes go past the page cache, so in whole blocks: what is to be written,
  // begun by what the block at the position held before.
  std::string buffer_;
  std::string begun_block_;
  std::optional<error> failed_;
};

} // namespace queen::persistence
