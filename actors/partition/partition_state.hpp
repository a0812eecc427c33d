// One partition as its leader judges it: the dedup window, who has reserved
// which pushed ids, the newest messages in memory, and which of them may be
// delivered yet (spec/messages.md, Push; spec/transaction.md, Verdict). Grows
// only when an entry has applied.

#pragma once

#include "actors/applier/applied_entry.hpp"
#include "actors/partition/block_reader.hpp"
#include "actors/partition/dedup_index.hpp"
#include "actors/partition/partition_messages.hpp"
#include "actors/transaction/transaction_messages.hpp"

#include <deque>

namespace queen::actors {

struct partition_subject {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  std::string queue_name, name;
  bool stored = false;
};

class partition_state {
public:
  /// `stored` must outlive it; what it says counts up to what has been heard
  /// of through `applied`.
  partition_state(partition_subject subject, const block_reader& stored,
                  size_t tail_bytes_max = 1 << 20);

  // -- pushes -----------------------------------------------------------------

  /// The ids that the call must have for itself until it has applied. None of
  /// them can be a minted one: nobody else knows it before the answer.
  static std::vector<uint64_t> reserves(const domain::transaction& call,
                                        const std::vector<uint32_t>& items);

  struct verdict {
    domain::refusal reason = domain::refusal::none;
    std::string error;
    std::vector<push_outcome> pushes; // parallel to `items`
    std::vector<domain::effect> effects;
  };
  verdict judge(const domain::transaction& call,
                const std::vector<uint32_t>& items,
                const domain::queue_options& options, domain::time_us now);

  void applied(const applied_entry& entry);

  // -- reads ------------------------------------------------------------------

  /// What may be delivered; `token` and `receiver` are the caller's.
  batch_read read(const read_batch& what);

  domain::partition_id id() const { return me_.partition; }
  domain::offset_t next() const { return row_.next; }
  size_t dedup_rows() const { return index_.size(); }

private:
  struct original {
    domain::offset_t offset;
    domain::uuid message_id;
  };
  void cover(uint32_t window_seconds, domain::time_us now);
  std::optional<original> find(std::string_view transaction_id,
                               domain::time_us since) const;
  domain::block_ptr holding(domain::offset_t offset) const;
  void grow_tail(const domain::block_ptr& block);
  void read_stored(domain::offset_t from, const block_reader::visitor& take);
  domain::offset_t deliverable_end(const read_batch& what,
                                   domain::offset_t from,
                                   domain::time_us& again_at) const;

  partition_subject me_;
  const block_reader& stored_;
  size_t tail_bytes_max_;
  domain::partition_row row_;
  // The newest blocks without a gap, up to row_.next.
  std::deque<domain::block_ptr> tail_;
  size_t tail_bytes_ = 0;
  // Stored blocks that were read and not to their end: a block may hold many
  // batches, and each group is somewhere else.
  std::deque<domain::block_ptr> begun_;
  dedup_index index_;
  uint32_t indexed_seconds_ = 0; // the index holds a window of this length
};

} // namespace queen::actors
