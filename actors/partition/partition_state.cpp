#include "actors/partition/partition_state.hpp"

#include <algorithm>
#include <unordered_map>

namespace queen::actors {

using namespace domain;

namespace {

constexpr time_us second = 1000000;
// A batch stops here even when the pop's budget of messages would allow more:
// it becomes one answer, made in memory.
constexpr size_t batch_bytes_max = 32 << 20;
// Stored blocks in memory of which a part is still to be delivered.
constexpr size_t begun_max = 4;

} // namespace

partition_state::partition_state(partition_subject subject,
                                 const block_reader& stored,
                                 size_t tail_bytes_max)
  : me_(std::move(subject)), stored_(stored), tail_bytes_max_(tail_bytes_max) {
  if (me_.stored)
    if (auto row = stored_.row())
      row_ = std::move(*row);
}

// -- pushes -------------------------------------------------------------------

std::vector<uint64_t>
partition_state::reserves(const transaction& call,
                          const std::vector<uint32_t>& items) {
  std::vector<uint64_t> out;
  out.reserve(items.size());
  for (auto i : items)
    if (!call.pushes[i].minted)
      out.push_back(id_hash(call.pushes[i].transaction_id));
  return out;
}

// Reads back as much of the store as the window needs, when it needs more than
// is indexed: at the first push, and when configure made the window longer.
void partition_state::cover(uint32_t window_seconds, time_us now) {
  if (window_seconds > indexed_seconds_) {
    index_ = {};
    indexed_seconds_ = window_seconds;
    auto since = now - int64_t{window_seconds} * second;
    std::vector<block_ptr> young;
    if (row_.next > row_.log_start)
      stored_.backward(row_.next - 1, [&](const block_ptr& block) {
        if (block->created_at() < since)
          return false;
        young.push_back(block);
        return true;
      });
    for (auto b = young.rbegin(); b != young.rend(); ++b)
      if ((*b)->end() <= row_.next)
        index_.add(**b);
  }
  if (indexed_seconds_ > 0)
    index_.forget_before(now - int64_t{indexed_seconds_} * second);
}

block_ptr partition_state::holding(offset_t offset) const {
  if (!tail_.empty() && offset >= tail_.front()->first()) {
    auto i = std::upper_bound(
      tail_.begin(), tail_.end(), offset,
      [](offset_t wanted, auto& block) { return wanted < block->first(); });
    return *std::prev(i);
  }
  return stored_.holding(offset);
}

std::optional<partition_state::original>
partition_state::find(std::string_view transaction_id, time_us since) const {
  std::optional<original> out;
  index_.candidates(id_hash(transaction_id), [&](offset_t offset) {
    if (out && out->offset <= offset)
      return;
    auto block = holding(offset);
    if (!block || offset < block->first() || offset >= block->end() ||
        block->created_at() <= since)
      return;
    auto i = static_cast<uint32_t>(offset - block->first());
    if (block->transaction_id(i) == transaction_id)
      out = original{offset, append_block::view(block, i).message_id};
  });
  return out;
}

partition_state::verdict
partition_state::judge(const transaction& call,
                       const std::vector<uint32_t>& items,
                       const queue_options& options, time_us now) {
  verdict out;
  cover(options.dedup_window_seconds, now);
  bool deduplicates = options.dedup_window_seconds > 0;
  auto since = now - int64_t{options.dedup_window_seconds} * second;
  out.pushes.reserve(items.size());
  append added{me_.queue, me_.partition, {}};
  added.messages.reserve(items.size());
  std::unordered_map<std::string_view, size_t> in_call; // to its outcome
  for (auto item : items) {
    auto& push = call.pushes[item];
    push_outcome outcome;
    outcome.message_id = push.message_id;
    if (!push.minted) {
      auto [first, fresh] =
        in_call.try_emplace(push.transaction_id, out.pushes.size());
      if (!fresh) {
        outcome = out.pushes[first->second];
        outcome.in_call = !outcome.duplicate || outcome.in_call;
        outcome.duplicate = true;
        out.pushes.push_back(outcome);
        continue;
      }
      auto before =
        deduplicates ? find(push.transaction_id, since) : std::nullopt;
      if (before && call.kind == call_kind::transaction) {
        out = {};
        out.reason = refusal::duplicate;
        out.error = "QDUP transactionId '" + push.transaction_id +
                    "' is already in queue '" + push.queue + "' partition '" +
                    push.partition + "' at offset " +
                    std::to_string(before->offset);
        return out;
      }
      if (before) {
        outcome.duplicate = true;
        outcome.message_id = before->message_id;
        outcome.offset = before->offset;
        out.pushes.push_back(outcome);
        continue;
      }
    }
    outcome.ordinal = static_cast<uint32_t>(added.messages.size());
    out.pushes.push_back(outcome);
    stored_message message;
    message.message_id = push.message_id;
    if (!push.minted)
      message.transaction_id = push.transaction_id;
    message.trace_id = push.trace_id;
    message.producer_sub = push.producer_sub;
    message.payload = push.payload;
    added.messages.push_back(std::move(message));
  }
  if (added.messages.empty())
    return out;
  if (!me_.stored)
    out.effects.push_back(ensure_partition{me_.queue, me_.partition, me_.name});
  out.effects.push_back(std::move(added));
  return out;
}

void partition_state::grow_tail(const block_ptr& block) {
  if (!tail_.empty() && tail_.back()->end() != block->first()) {
    tail_.clear();
    tail_bytes_ = 0;
  }
  tail_.push_back(block);
  tail_bytes_ += block->bytes();
  while (tail_.size() > 1 && tail_bytes_ > tail_bytes_max_) {
    tail_bytes_ -= tail_.front()->bytes();
    tail_.pop_front();
  }
}

void partition_state::applied(const applied_entry& entry) {
  // An entry of an earlier term may have created the partition under another
  // id than the one that was planned here.
  for (auto& p : entry.partitions)
    if (p.queue == me_.queue && p.name == me_.name) {
      me_.partition = p.partition;
      me_.stored = true;
    }
  for (auto& a : entry.appends) {
    if (a.queue != me_.queue || a.partition != me_.partition || !a.block)
      continue;
    me_.stored = true;
    if (a.first < row_.next)
      continue; // the store had told already
    row_.next = a.end;
    row_.last_at = a.created_at;
    row_.last_index = entry.index;
    grow_tail(a.block);
    if (indexed_seconds_ > 0)
      index_.add(*a.block);
  }
  for (auto& t : entry.trims)
    if (t.queue == me_.queue && t.partition == me_.partition)
      row_.log_start = t.log_start;
}

// -- reads --------------------------------------------------------------------

offset_t partition_state::deliverable_end(const read_batch& what, offset_t from,
                                          time_us& again_at) const {
  auto end = row_.next;
  auto& options = what.options;
  if (from >= end)
    return end;
  auto quiet = int64_t{options.window_buffer} * second;
  if (quiet > 0 && what.now - row_.last_at < quiet) {
    again_at = row_.last_at + quiet;
    return from;
  }
  auto delay = int64_t{options.delayed_processing} * second;
  if (delay > 0) {
    auto young = [&](const append_block& block) {
      return block.created_at() + delay > what.now;
    };
    auto find_block = [this](offset_t offset) { return holding(offset); };
    auto first_young = first_offset_where(from, end, find_block, young);
    if (first_young < end) {
      if (auto block = holding(first_young))
        again_at = block->created_at() + delay;
      return first_young;
    }
  }
  return end;
}

void partition_state::read_stored(offset_t from,
                                  const block_reader::visitor& take) {
  auto known = std::find_if(begun_.begin(), begun_.end(), [&](auto& block) {
    return from >= block->first() && from < block->end();
  });
  if (known != begun_.end()) {
    auto block = std::move(*known);
    begun_.erase(known);
    from = block->end();
    if (!take(block))
      return;
  }
  if (from < row_.next)
    stored_.forward(from, take);
}

batch_read partition_state::read(const read_batch& what) {
  batch_read out;
  out.token = what.token;
  out.log_start = row_.log_start;
  auto from = std::max(what.from, row_.log_start);
  out.deliverable_end = deliverable_end(what, from, out.again_at);
  if (from >= out.deliverable_end)
    return out;
  if (what.newest_only)
    from = out.deliverable_end - 1;
  auto end = std::min<offset_t>(out.deliverable_end, from + what.messages);
  size_t bytes = 0;
  auto take = [&](const block_ptr& block) {
    if (block->first() >= end)
      return false;
    out.blocks.push_back(block);
    bytes += block->bytes();
    return block->end() < end && bytes < batch_bytes_max;
  };
  if (!tail_.empty() && from >= tail_.front()->first()) {
    auto i = std::upper_bound(
      tail_.begin(), tail_.end(), from,
      [](offset_t wanted, auto& block) { return wanted < block->first(); });
    for (auto at = std::prev(i); at != tail_.end() && take(*at); ++at)
      ;
  } else {
    read_stored(from, take);
    if (!out.blocks.empty() && out.blocks.back()->end() > end) {
      begun_.push_back(out.blocks.back());
      if (begun_.size() > begun_max)
        begun_.pop_front();
    }
  }
  return out;
}

} // namespace queen::actors
