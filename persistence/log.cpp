#include "persistence/log.hpp"

#include "config/ensure.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>

namespace queen::persistence {

namespace {

// One step of filling a spare: short beside a sync.
constexpr uint64_t fill_step = 1 << 20;
// A buffer that one large batch grew past this is given back.
constexpr size_t buffer_kept = 4 << 20;

result<void> fill(file& into, uint64_t from, uint64_t to) {
  static const std::string zeros(fill_step, '\0');
  while (from < to) {
    auto size = std::min<uint64_t>(zeros.size(), to - from);
    if (auto done = into.write_at(from, {zeros.data(), size}); !done)
      return done;
    from += size;
  }
  return {};
}

} // namespace

log::log(disk& on, std::string directory, log_options options)
  : disk_(on), directory_(std::move(directory)), options_(options) {}

std::string log::path(const std::string& name) const {
  return directory_ + "/" + name;
}

uint64_t log::new_incarnation() {
  uint64_t number[2] = {options_.incarnation_seed, ++incarnations_};
  return XXH3_64bits(number, sizeof number) | 1; // never zero
}

result<std::unique_ptr<log>> log::open(disk& on, std::string directory,
                                       log_options options,
                                       const on_record& replay) {
  ENSURE(options.segment_bytes >= 4 * segment_header_bytes);
  ENSURE(options.segment_bytes % unbuffered_block == 0);
  std::unique_ptr<log> made{new log(on, std::move(directory), options)};
  if (auto done = made->recover(replay); !done)
    return done.reason();
  return made;
}

uint64_t log::bytes() const {
  uint64_t sum = 0;
  for (auto& s : live_)
    sum += s.capacity;
  return sum;
}

void log::note(const log_append& what) {
  if (what.kind == record_kind::hard_state) {
    states_[what.group] = {what, live_.back().sequence};
  } else {
    auto& newest = live_.back().newest[what.group];
    newest = std::max(newest, what.index);
  }
}

// -- appending ----------------------------------------------------------------

result<void> log::append(std::span<const log_append> records) {
  if (failed_)
    return *failed_;
  auto done = write(records);
  if (!done)
    failed_ = done.reason();
  return done;
}

result<void> log::write(std::span<const log_append> records) {
  while (!records.empty()) {
    // As many as the segment has room for; a seal must fit behind them.
    auto room = live_.back().capacity - position_ - record_bytes(0);
    size_t count = 0;
    for (uint64_t bytes = 0; count < records.size(); ++count) {
      auto& payload = records[count].payload;
      bytes += record_bytes(payload ? payload->size() : 0);
      if (bytes > room)
        break;
    }
    if (count == 0) {
      auto& payload = records[0].payload;
      if (auto done = seal(); !done)
        return done;
      if (auto done = next_segment(segment_header_bytes + record_bytes(0) +
                                   record_bytes(payload ? payload->size() : 0));
          !done)
        return done;
      continue;
    }
    if (auto done = write_batch(records.subspan(0, count)); !done)
      return done;
    records = records.subspan(count);
  }
  return {};
}

result<void> log::write_batch(std::span<const log_append> records) {
  buffer_ = begun_block_;
  ++batch_;
  for (auto& r : records) {
    chain_ = encode_record(
      r, {incarnation_, chain_, batch_, &r == &records.back()}, buffer_);
    if (r.kind != record_kind::seal)
      note(r);
  }
  auto start = position_ - begun_block_.size();
  auto size = buffer_.size();
  auto whole = size - size % unbuffered_block;
  begun_block_.assign(buffer_, whole);
  if (size > whole)
    buffer_.resize(whole + unbuffered_block, '\0');
  if (auto done = current_->write_at(start, buffer_); !done)
    return done;
  if (auto done = current_->sync(); !done)
    return done;
  position_ = start + size;
  if (buffer_.capacity() > buffer_kept)
    buffer_ = {};
  return {};
}

result<void> log::continue_at(uint64_t position) {
  position_ = position;
  begun_block_.resize(position % unbuffered_block);
  auto got = current_->read_at(position - begun_block_.size(), begun_block_);
  return got ? result<void>{} : got.reason();
}

result<void> log::seal() {
  log_append end;
  end.kind = record_kind::seal;
  return write_batch({&end, 1});
}

result<void> log::next_segment(uint64_t at_least) {
  auto blocks = (at_least + unbuffered_block - 1) / unbuffered_block;
  auto capacity = std::max(options_.segment_bytes, blocks * unbuffered_block);
  std::string from;
  std::unique_ptr<file> fresh;
  if (capacity == options_.segment_bytes && !spares_.empty()) {
    from = spares_.back();
    spares_.pop_back();
    auto opened = disk_.open(path(from), buffering::none);
    if (!opened)
      return opened.reason();
    fresh = std::move(*opened);
  } else if (capacity == options_.segment_bytes && filling_) {
    from = "spare-filling";
    fresh = std::move(filling_);
    if (auto done = fill(*fresh, filled_, capacity); !done)
      return done;
  } else {
    from = "segment-making";
    auto made = disk_.create(path(from), buffering::none);
    if (!made)
      return made.reason();
    fresh = std::move(*made);
    if (auto done = fill(*fresh, 0, capacity); !done)
      return done;
  }
  segment_header header;
  header.sequence = live_.empty() ? 1 : live_.back().sequence + 1;
  header.incarnation = new_incarnation();
  header.capacity = capacity;
  header.batch = batch_ + 1;
  // Under its own name only when all of it is there: a crash before leaves a
  // file that nobody reads.
  auto first_block = encode(header);
  first_block.resize(segment_header_bytes, '\0');
  if (auto done = fresh->write_at(0, first_block); !done)
    return done;
  if (auto done = fresh->sync(); !done)
    return done;
  if (auto done = disk_.rename(path(from), path(segment_name(header.sequence)));
      !done)
    return done;
  if (auto done = disk_.sync_directory(directory_); !done)
    return done;
  current_ = std::move(fresh);
  incarnation_ = header.incarnation;
  chain_ = header.incarnation;
  position_ = segment_header_bytes;
  begun_block_.clear();
  live_.push_back({header.sequence, capacity, {}});
  return {};
}

result<void> log::prepare_spare() {
  if (failed_ || !spares_.empty())
    return {};
  if (!filling_) {
    auto made = disk_.create(path("spare-filling"), buffering::none);
    if (!made)
      return made.reason();
    filling_ = std::move(*made);
    filled_ = 0;
  }
  if (filled_ >= options_.segment_bytes)
    return {};
  auto to = std::min(filled_ + fill_step, options_.segment_bytes);
  if (auto done = fill(*filling_, filled_, to); !done)
    return done;
  filled_ = to;
  return {};
}

// -- releasing ----------------------------------------------------------------

result<void> log::release(uint32_t group, uint64_t index) {
  if (failed_)
    return *failed_;
  auto& upto = released_[group];
  upto = std::max(upto, index);
  while (live_.size() > 1) {
    auto& front = live_.front();
    bool wanted =
      std::any_of(front.newest.begin(), front.newest.end(), [this](auto& held) {
        auto r = released_.find(held.first);
        return r == released_.end() || r->second < held.second;
      });
    if (wanted)
      return {};
    if (auto done = free_front(); !done) {
      failed_ = done.reason();
      return done;
    }
  }
  return {};
}

result<void> log::free_front() {
  // A hard state that only this segment holds moves to the current one.
  std::vector<log_append> moved;
  for (auto& [group, kept] : states_)
    if (kept.sequence == live_.front().sequence)
      moved.push_back(kept.what);
  if (!moved.empty())
    if (auto done = write(moved); !done)
      return done;
  auto front = live_.front();
  auto name = path(segment_name(front.sequence));
  if (front.capacity == options_.segment_bytes &&
      spares_.size() < options_.spares_max) {
    auto spare = fmt::format("spare-{:08x}", ++spare_number_);
    if (auto done = disk_.rename(name, path(spare)); !done)
      return done;
    spares_.push_back(std::move(spare));
  } else if (auto done = disk_.remove(name); !done) {
    return done;
  }
  live_.pop_front();
  // So that segments go in order: a crash must not leave a gap.
  return disk_.sync_directory(directory_);
}

} // namespace queen::persistence
