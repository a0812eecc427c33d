// The stored appends of one partition, as its partition and its leases read
// them: block by block in either direction, or by search.

#pragma once

#include "actors/domain/rows.hpp"
#include "persistence/store.hpp"

#include <functional>

namespace queen::actors {

class block_reader {
public:
  using visitor = std::function<bool(const domain::block_ptr&)>; // false: stop

  virtual ~block_reader() = default;

  /// None: no entry has created the partition yet, or its queue is gone.
  virtual std::optional<domain::partition_row> row() const = 0;
  /// From the block that holds `from` on; when none does, from the next one.
  virtual void forward(domain::offset_t from, const visitor&) const = 0;
  /// From the block that holds `from`, or the last one before it, downwards.
  virtual void backward(domain::offset_t from, const visitor&) const = 0;

  /// Null when retention has taken the message or it does not exist.
  domain::block_ptr holding(domain::offset_t offset) const;
};

/// The first offset in [from, to) whose block fulfils `wanted`, which must hold
/// for every block after one that fulfils it; `to` when there is none.
/// `holding` maps an offset to its block or null.
template <class Holding, class Wanted>
domain::offset_t first_offset_where(domain::offset_t from, domain::offset_t to,
                                    Holding holding, Wanted wanted) {
  while (from < to) {
    auto middle = from + (to - from) / 2;
    domain::block_ptr block = holding(middle);
    if (!block)
      from = middle + 1; // trimmed: everything before it is, too
    else if (wanted(*block))
      to = std::max(from, block->first());
    else
      from = std::max(middle + 1, block->end());
  }
  return to;
}

/// Reads the store of the group. A damaged row ends what can be read: nothing
/// behind it is taken for what follows.
class stored_blocks : public block_reader {
public:
  stored_blocks(const persistence::store& store, domain::queue_id queue,
                domain::partition_id partition)
    : store_(store), queue_(queue), partition_(partition) {}

  std::optional<domain::partition_row> row() const override;
  void forward(domain::offset_t from, const visitor& visit) const override;
  void backward(domain::offset_t from, const visitor& visit) const override;

private:
  std::unique_ptr<persistence::cursor> scan() const;
  /// Moves `from` behind what was visited; false when `visit` has enough.
  bool forward_by_key(domain::offset_t& from, const visitor& visit) const;
  domain::block_ptr parse(const persistence::cursor& at) const;

  const persistence::store& store_;
  domain::queue_id queue_;
  domain::partition_id partition_;
};

} // namespace queen::actors
