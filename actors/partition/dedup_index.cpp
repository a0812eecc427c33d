#include "actors/partition/dedup_index.hpp"

#include "config/ensure.hpp"

namespace queen::actors {

using domain::offset_t;
using domain::time_us;

namespace {

constexpr size_t slots_min = 16;

} // namespace

void dedup_index::place(slot value) {
  size_t i = home(value.tag);
  while (slots_[i].used())
    i = (i + 1) & (slots_.size() - 1);
  slots_[i] = value;
}

// Room for `messages` at two thirds full, and no more than four times that.
void dedup_index::resize(size_t messages) {
  size_t wanted = slots_min;
  while (wanted * 2 < messages * 3)
    wanted *= 2;
  if (wanted <= slots_.size() && wanted * 4 >= slots_.size())
    return;
  auto old = std::exchange(slots_, std::vector<slot>(wanted));
  for (auto& s : old)
    if (s.used())
      place(s);
}

void dedup_index::add(offset_t first, time_us created_at,
                      const std::vector<uint64_t>& hashes) {
  ENSURE(spans_.empty() || first >= next_);
  resize(tags_.size() + hashes.size());
  spans_.push_back({created_at, first, static_cast<uint32_t>(hashes.size())});
  for (size_t i = 0; i < hashes.size(); ++i) {
    auto tag = tag_of(hashes[i]);
    tags_.push_back(tag);
    place({tag, static_cast<uint32_t>(first + i)});
  }
  next_ = first + hashes.size();
}

void dedup_index::add(const domain::append_block& block) {
  std::vector<uint64_t> hashes(block.count());
  for (uint32_t i = 0; i < block.count(); ++i)
    hashes[i] = block.hash(i);
  add(block.first(), block.created_at(), hashes);
}

// Moves back what was pushed past the freed slot, so that probing still ends at
// the first free one.
void dedup_index::erase(uint32_t tag, uint32_t low) {
  auto mask = slots_.size() - 1;
  size_t hole = home(tag);
  while (slots_[hole].tag != tag || slots_[hole].low != low) {
    ENSURE(slots_[hole].used());
    hole = (hole + 1) & mask;
  }
  for (size_t i = (hole + 1) & mask; slots_[i].used(); i = (i + 1) & mask) {
    auto distance = (i - home(slots_[i].tag)) & mask;
    if (distance < ((i - hole) & mask))
      continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = slot{};
}

void dedup_index::forget_before(time_us since) {
  bool any = false;
  while (!spans_.empty() && spans_.front().created_at < since) {
    auto gone = spans_.front();
    for (uint32_t i = 0; i < gone.count; ++i) {
      erase(tags_.front(), static_cast<uint32_t>(gone.first + i));
      tags_.pop_front();
    }
    spans_.pop_front();
    any = true;
  }
  if (any)
    resize(tags_.size());
}

} // namespace queen::actors
