#include "actors/partition/block_reader.hpp"

#include <algorithm>

namespace queen::actors {

using domain::block_ptr;
using domain::offset_t;

block_ptr block_reader::holding(offset_t offset) const {
  block_ptr found;
  backward(offset, [&](const block_ptr& block) {
    if (block->end() > offset)
      found = block;
    return false;
  });
  return found;
}

std::optional<domain::partition_row> stored_blocks::row() const {
  auto bytes = store_.get(domain::key::partition(queue_, partition_));
  if (!bytes || !*bytes)
    return std::nullopt;
  auto decoded = domain::decode_partition(**bytes);
  return decoded ? std::optional{std::move(*decoded)} : std::nullopt;
}

std::unique_ptr<persistence::cursor> stored_blocks::scan() const {
  auto all = domain::key::appends_of(queue_, partition_);
  return store_.scan(all, domain::key::prefix_end(all));
}

block_ptr stored_blocks::parse(const persistence::cursor& at) const {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  offset_t first = 0;
  if (!domain::key::parse_append(at.key(), queue, partition, first))
    return nullptr;
  auto bytes = std::make_shared<const std::string>(at.value());
  auto block = domain::append_block::parse(std::move(bytes), first);
  return block ? *block : nullptr;
}

// Most reads go on where the last one stopped and want a row or two: asked for
// by key, a filter rules out the files that do not have them, while a cursor
// looks into every file.
bool stored_blocks::forward_by_key(offset_t& from, const visitor& visit) const {
  constexpr int rows_max = 4;
  for (int i = 0; i < rows_max; ++i) {
    auto bytes = store_.get(domain::key::append(queue_, partition_, from));
    if (!bytes || !*bytes)
      return true;
    auto block = domain::append_block::parse(
      std::make_shared<const std::string>(std::move(**bytes)), from);
    if (!block || !visit(*block))
      return false;
    from = (*block)->end();
  }
  return true;
}

void stored_blocks::forward(offset_t from, const visitor& visit) const {
  if (!forward_by_key(from, visit))
    return;
  auto rows = scan();
  rows->seek_for_prev(domain::key::append(queue_, partition_, from));
  if (!rows->valid())
    rows->seek(domain::key::append(queue_, partition_, from));
  for (; rows->valid(); rows->next()) {
    auto block = parse(*rows);
    if (!block)
      return;
    if (block->end() > from && !visit(block))
      return;
  }
}

void stored_blocks::backward(offset_t from, const visitor& visit) const {
  auto rows = scan();
  rows->seek_for_prev(domain::key::append(queue_, partition_, from));
  for (; rows->valid(); rows->prev()) {
    auto block = parse(*rows);
    if (!block || !visit(block))
      return;
  }
}

} // namespace queen::actors
