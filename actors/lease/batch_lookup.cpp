#include "actors/lease/batch_lookup.hpp"

#include <algorithm>

namespace queen::actors {

using domain::offset_t;

namespace {

// A repeated ack is a no-op for at least so long, whatever the dedup window
// (spec/messages.md, Ack).
constexpr uint32_t recognised_seconds_min = 900;

} // namespace

// -- the batch ----------------------------------------------------------------

void lease_batch::keep(std::vector<domain::block_ptr> blocks, offset_t from,
                       offset_t end) {
  blocks_ = std::move(blocks);
  from_ = from;
  end_ = end;
  index_.clear();
}

bool lease_batch::covers(offset_t from, offset_t to) const {
  return !blocks_.empty() && from >= from_ && to <= end_;
}

std::optional<offset_t> lease_batch::find(std::string_view transaction_id,
                                          offset_t from, offset_t to) {
  if (index_.empty())
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      auto& block = *blocks_[b];
      auto at = std::max(from_, block.first());
      for (; at < std::min(end_, block.end()); ++at) {
        auto i = static_cast<uint32_t>(at - block.first());
        index_.emplace(block.hash(i), place{b, i});
      }
    }
  std::optional<offset_t> newest;
  auto [begin, end] = index_.equal_range(domain::id_hash(transaction_id));
  for (auto i = begin; i != end; ++i) {
    auto& block = *blocks_[i->second.block];
    auto offset = block.first() + i->second.message;
    if (offset >= from && offset < to && (!newest || offset > *newest) &&
        block.transaction_id(i->second.message) == transaction_id)
      newest = offset;
  }
  return newest;
}

// -- batch or store -----------------------------------------------------------

const domain::partition_row& batch_lookup::row() {
  if (!row_)
    row_ = stored_.row().value_or(domain::partition_row{});
  return *row_;
}

offset_t batch_lookup::next() {
  return row().next;
}

offset_t batch_lookup::recognised_from() {
  if (!recognised_from_) {
    auto seconds =
      std::max(options_.dedup_window_seconds, recognised_seconds_min);
    auto since = now_ - int64_t{seconds} * 1000000;
    recognised_from_ = first_offset_where(
      row().log_start, row().next,
      [this](offset_t offset) { return stored_.holding(offset); },
      [since](auto& block) { return block.created_at() >= since; });
  }
  return *recognised_from_;
}

std::optional<offset_t> batch_lookup::find(std::string_view transaction_id,
                                           offset_t from, offset_t to) {
  if (from >= to)
    return std::nullopt;
  if (batch_.covers(from, to))
    return batch_.find(transaction_id, from, to);
  std::optional<offset_t> found;
  auto hash = domain::id_hash(transaction_id);
  stored_.backward(to - 1, [&](const domain::block_ptr& block) {
    for (auto i = block->count(); i-- > 0 && !found;) {
      auto offset = block->first() + i;
      if (offset >= from && offset < to && block->hash(i) == hash &&
          block->transaction_id(i) == transaction_id)
        found = offset;
    }
    return !found && block->first() > from;
  });
  return found;
}

} // namespace queen::actors
