// Which transaction ids a partition has seen lately: an index that never says
// "new" of an id that it holds, and whose "maybe" the caller checks against the
// stored id. About 17 bytes a message: a tag of 32 bits from the id's hash and
// the low half of its offset, in one flat table, and the tags once more in
// order, so that the oldest can be forgotten without reading a row.

#pragma once

#include "actors/domain/rows.hpp"

#include <deque>

namespace queen::actors {

class dedup_index {
public:
  /// Messages [first, first + hashes) in offset order, after all earlier ones.
  void add(domain::offset_t first, domain::time_us created_at,
           const std::vector<uint64_t>& hashes);
  void add(const domain::append_block& block);
  /// Drops what was created before `since`.
  void forget_before(domain::time_us since);

  /// Offsets whose id may have this hash, in no particular order.
  template <class Visitor>
  void candidates(uint64_t hash, Visitor visit) const;

  size_t size() const { return tags_.size(); }

private:
  struct slot {
    uint32_t tag = 0;
    uint32_t low = 0; // of the offset
    bool used() const { return tag != 0; }
  };
  struct span { // the messages of one append
    domain::time_us created_at;
    domain::offset_t first;
    uint32_t count;
  };

  static uint32_t tag_of(uint64_t hash) {
    auto tag = static_cast<uint32_t>(hash >> 32) ^ static_cast<uint32_t>(hash);
    return tag == 0 ? 1 : tag; // 0 marks a free slot
  }
  size_t home(uint32_t tag) const {
    // Fibonacci hashing: spreads tags whose low bits are alike.
    return static_cast<size_t>((tag * uint64_t{0x9e3779b97f4a7c15}) >> 32) &
           (slots_.size() - 1);
  }
  void place(slot value);
  void erase(uint32_t tag, uint32_t low);
  void resize(size_t messages);

  std::vector<slot> slots_; // a power of two, linear probing
  std::deque<uint32_t> tags_;
  std::deque<span> spans_;
  domain::offset_t next_ = 0; // one past the newest
};

template <class Visitor>
void dedup_index::candidates(uint64_t hash, Visitor visit) const {
  if (slots_.empty())
    return;
  auto tag = tag_of(hash);
  for (size_t i = home(tag); slots_[i].used();
       i = (i + 1) & (slots_.size() - 1))
    if (slots_[i].tag == tag)
      visit(next_ - static_cast<uint32_t>(static_cast<uint32_t>(next_) -
                                          slots_[i].low));
}

} // namespace queen::actors
