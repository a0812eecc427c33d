// Finds messages of one partition by transaction id: in the batch that is out,
// which is kept in memory, or in the store.

#pragma once

#include "actors/lease/lease_state.hpp"
#include "actors/partition/block_reader.hpp"

#include <unordered_map>

namespace queen::actors {

/// The batch that is out, with an index that is made at the first question.
class lease_batch {
public:
  /// The messages at [from, end), which `blocks` hold, and more perhaps.
  void keep(std::vector<domain::block_ptr> blocks, domain::offset_t from,
            domain::offset_t end);
  void drop() { keep({}, 0, 0); }
  bool covers(domain::offset_t from, domain::offset_t to) const;
  std::optional<domain::offset_t> find(std::string_view transaction_id,
                                       domain::offset_t from,
                                       domain::offset_t to);

private:
  struct place {
    uint32_t block, message;
  };
  std::vector<domain::block_ptr> blocks_; // oldest first, no gap
  domain::offset_t from_ = 0, end_ = 0;
  std::unordered_multimap<uint64_t, place> index_;
};

class batch_lookup : public message_lookup {
public:
  batch_lookup(lease_batch& batch, const block_reader& stored,
               const domain::queue_options& options, domain::time_us now)
    : batch_(batch), stored_(stored), options_(options), now_(now) {}

  std::optional<domain::offset_t> find(std::string_view transaction_id,
                                       domain::offset_t from,
                                       domain::offset_t to) override;
  domain::offset_t recognised_from() override;
  domain::offset_t next() override;

private:
  const domain::partition_row& row();

  lease_batch& batch_;
  const block_reader& stored_;
  const domain::queue_options& options_;
  domain::time_us now_;
  std::optional<domain::partition_row> row_;
  std::optional<domain::offset_t> recognised_from_;
};

} // namespace queen::actors
