// How the log is found again after a crash.

#include "persistence/log.hpp"

#include <fmt/format.h>

namespace queen::persistence {

result<void> log::recover(const on_record& replay) {
  if (auto made = disk_.make_directory(directory_); !made)
    return made;
  auto names = disk_.list(directory_);
  if (!names)
    return names.reason();
  std::vector<uint64_t> sequences;
  for (auto& name : *names) {
    if (auto sequence = segment_sequence(name))
      sequences.push_back(*sequence);
    else if (name.rfind("spare-", 0) == 0 || name == "segment-making")
      // Whether it was full when the crash came is not known.
      if (auto done = disk_.remove(path(name)); !done)
        return done;
  }
  if (sequences.empty() && options_.must_exist)
    return error{errc::damaged, directory_ +
                                  ": the log has no segment, and this node has "
                                  "written to it before"};
  for (size_t i = 1; i < sequences.size(); ++i)
    if (sequences[i] != sequences[i - 1] + 1)
      return error{errc::damaged,
                   fmt::format("{}: the segment {} is missing", directory_,
                               segment_name(sequences[i - 1] + 1))};
  for (auto sequence : sequences)
    if (auto done =
          recover_segment(sequence, sequence == sequences.back(), replay);
        !done)
      return done;
  return current_ ? result<void>{} : next_segment(0);
}

result<void> log::recover_segment(uint64_t sequence, bool last,
                                  const on_record& replay) {
  auto name = path(segment_name(sequence));
  auto opened = disk_.open(name);
  if (!opened)
    return opened.reason();
  live_.push_back({sequence, 0, {}});
  auto scan =
    scan_segment(**opened, name, [&](log_append what) -> result<void> {
      note(what);
      return replay(std::move(what));
    });
  if (!scan)
    return scan.reason();
  auto damage = [&](std::string_view reason) {
    return error{errc::damaged,
                 fmt::format("{} at byte {}: {}", name, scan->end, reason)};
  };
  if (scan->header.sequence != sequence)
    return error{errc::damaged, name + " at byte 16: the header names another "
                                       "segment, so the file was renamed"};
  if (!last && !scan->sealed)
    return damage("a record fails its checksum and a later segment follows");
  // The batch that was being written when the crash came.
  auto torn = scan->batch_complete ? scan->last_batch + 1 : scan->last_batch;
  if (scan->last_batch == 0)
    torn = scan->header.batch; // nothing of this segment was read
  if (scan->survivor && scan->survivor_batch > torn)
    return damage("a record fails its checksum and later ones follow");
  live_.back().capacity = scan->header.capacity;
  batch_ = std::max({batch_, scan->last_batch, scan->survivor_batch});
  if (!last)
    return {};
  auto reopened = disk_.open(name, buffering::none);
  if (!reopened)
    return reopened.reason();
  // Read through the cache, which `opened` has: the last block alone.
  current_ = std::move(*opened);
  incarnation_ = scan->header.incarnation;
  chain_ = scan->chain;
  if (auto done = continue_at(scan->end); !done)
    return done;
  current_ = std::move(*reopened);
  if (scan->sealed)
    return next_segment(0);
  if (!scan->survivor)
    return {};
  // Records of the torn batch would look like damage behind what is written
  // now; behind a seal nobody looks.
  if (auto done = seal(); !done)
    return done;
  return next_segment(0);
}

} // namespace queen::persistence
