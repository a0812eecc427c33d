#include "actors/lease/lease_state.hpp"

#include <algorithm>
#include <map>

namespace queen::actors {

using namespace domain;

namespace {

constexpr const char* no_such_lease = "invalid or expired lease";

// The same on every resubmission of the call, and on every node.
uuid derived_id(const uuid& call, uint64_t number) {
  auto out = call;
  std::string text{reinterpret_cast<const char*>(call.bytes.data()), 16};
  text += std::to_string(number);
  auto hash = id_hash(text);
  for (size_t i = 0; i < 7; ++i)
    out.bytes[9 + i] = static_cast<uint8_t>(hash >> (8 * i));
  return out;
}

int severity(ack_status status) {
  switch (status) {
  case ack_status::completed:
    return 0;
  case ack_status::retry:
    return 1;
  case ack_status::failed:
    return 2;
  case ack_status::dlq:
    return 3;
  }
  return 0;
}

} // namespace

struct lease_state::found {
  size_t result; // position in the verdict's acks
  uint32_t item; // position in the call's acks
  offset_t offset;
  ack_status status;
};

bool lease_state::live(time_us now) const {
  return row_ && !row_->lease_id.nil() && now < row_->expires_at;
}

bool lease_state::is_live_lease(std::string_view text, time_us now) const {
  if (!live(now))
    return false;
  auto id = parse_uuid(text);
  return id && *id == row_->lease_id;
}

time_us lease_state::busy_until(time_us now) const {
  return live(now) ? row_->expires_at : 0;
}

// -- acks ---------------------------------------------------------------------

// Whether the ack names a lease, by itself or by the call's list. A fence that
// does not hold leaves its reason in `out`.
bool lease_state::fenced(const transaction& call, const ack_item& ack,
                         time_us now, ack_result& out) const {
  if (ack.lease_id) {
    if (!is_live_lease(*ack.lease_id, now))
      out.error = no_such_lease;
    return true;
  }
  if (call.required_leases.empty())
    return false;
  auto& all = call.required_leases;
  if (std::none_of(all.begin(), all.end(),
                   [&](auto& text) { return is_live_lease(text, now); }))
    out.error = no_such_lease;
  return true;
}

std::optional<offset_t> lease_state::locate(const ack_item& ack, time_us now,
                                            message_lookup& messages) const {
  auto& id = ack.transaction_id;
  // The batch that is out first: an id may occur again outside of it.
  if (live(now))
    if (auto at = messages.find(id, row_->batch_start, row_->batch_end))
      return at;
  if (auto at = messages.find(id, row_->cursor, messages.next()))
    return at;
  return messages.find(id, std::min(messages.recognised_from(), row_->cursor),
                       row_->cursor);
}

// One ack's answer; `at` is set when it has an effect.
ack_result lease_state::judge(const transaction& call, const ack_item& ack,
                              time_us now, message_lookup& messages,
                              std::optional<offset_t>& at) const {
  ack_result out;
  bool whole = call.kind == call_kind::transaction;
  bool completes = ack.status == ack_status::completed;
  if (!row_) {
    out.error = ack.lease_id ? no_such_lease
                             : "unresolvable: the group has no cursor on "
                               "this partition";
    return out;
  }
  bool has_lease = fenced(call, ack, now, out);
  bool holds = has_lease && out.error.empty();
  if (has_lease && !holds && whole)
    return out;
  // The repeat of the ack that released its lease, whatever the store has
  // forgotten since.
  auto named = ack.lease_id ? parse_uuid(*ack.lease_id) : std::nullopt;
  if (!whole && completes && named && !named->nil() &&
      *named == row_->released_lease &&
      id_hash(ack.transaction_id) == row_->released_hash) {
    out = {};
    out.success = out.noop = true;
    return out;
  }
  auto offset = locate(ack, now, messages);
  if (!offset) {
    if (out.error.empty())
      out.error = "unresolvable: no message with this transactionId";
    return out;
  }
  if (*offset < row_->cursor) {
    bool inside = holds && *offset >= row_->batch_start;
    if (completes && (!whole || !has_lease || inside)) {
      out = {};
      out.success = out.noop = true;
      return out;
    }
    if (out.error.empty())
      out.error = "the message is already committed";
    return out;
  }
  if (!out.error.empty())
    return out; // a fence that does not hold
  if (holds && (*offset < row_->batch_start || *offset >= row_->batch_end)) {
    out.error = "the message is not in the batch of this lease";
    return out;
  }
  out.success = true;
  at = offset;
  return out;
}

lease_state::acks_verdict lease_state::judge_acks(
  const transaction& call, const std::vector<uint32_t>& items,
  const queue_options& options, time_us now, message_lookup& messages) const {
  acks_verdict out;
  out.acks.reserve(items.size());
  std::vector<found> effective;
  effective.reserve(items.size());
  for (auto item : items) {
    auto& ack = call.acks[item];
    std::optional<offset_t> at;
    auto verdict = judge(call, ack, now, messages, at);
    if (!verdict.success && call.kind == call_kind::transaction) {
      out.reason = refusal::rejected_ack;
      out.error = std::move(verdict.error);
      return out;
    }
    if (at)
      effective.push_back({out.acks.size(), item, *at, ack.status});
    out.acks.push_back(std::move(verdict));
  }
  if (!effective.empty())
    settle(call, effective, options, now, out);
  return out;
}

void lease_state::settle(const transaction& call,
                         const std::vector<found>& effective,
                         const queue_options& options, time_us now,
                         acks_verdict& out) const {
  auto next = *row_;
  offset_t passed = next.cursor;
  // At one offset the gravest counts.
  std::map<offset_t, const found*> grave;
  for (auto& f : effective) {
    if (f.status == ack_status::completed) {
      passed = std::max(passed, f.offset + 1);
      continue;
    }
    auto& kept = grave[f.offset];
    if (!kept || severity(f.status) > severity(kept->status))
      kept = &f;
  }
  bool files = options.dead_letter_queue || options.dlq_after_max_retries;
  std::optional<offset_t> comes_back;
  bool ends = !grave.empty(); // any of these ends the lease
  for (auto& [offset, f] : grave) {
    bool spent =
      f->status == ack_status::failed && next.retries >= options.retry_limit;
    if (f->status == ack_status::retry ||
        (f->status == ack_status::failed && !spent)) {
      if (f->status == ack_status::failed)
        ++next.retries;
      comes_back = offset;
      break;
    }
    if (!spent || files) {
      auto& ack = call.acks[f->item];
      file_dead_letter letter;
      letter.id = derived_id(call.request_id, f->item);
      letter.queue = me_.queue;
      letter.partition = me_.partition;
      letter.group = me_.group;
      letter.offset = offset;
      letter.retries = next.retries;
      letter.error = ack.error;
      out.effects.push_back(std::move(letter));
      for (auto& other : effective)
        if (other.offset == offset)
          out.acks[other.result].dlq = true;
    }
    next.retries = 0;
    passed = std::max(passed, offset + 1);
  }
  next.cursor = comes_back ? std::max(*comes_back, next.cursor) : passed;
  bool held = live(now);
  if (!held || next.cursor >= next.batch_end) {
    if (!comes_back)
      next.retries = 0; // the batch is complete
    ends = true;
  }
  if (next.cursor >= next.seen_below)
    next.redeliveries = 0;
  uuid closed;
  if (ends && !next.lease_id.nil()) {
    closed = next.lease_id;
    next.released_lease = closed;
    next.released_start = next.batch_start;
    next.released_end = next.batch_end;
    auto last =
      std::max_element(effective.begin(), effective.end(),
                       [](auto& a, auto& b) { return a.offset < b.offset; });
    next.released_hash = id_hash(call.acks[last->item].transaction_id);
    next.lease_id = {};
    next.batch_start = next.batch_end = next.cursor;
    next.expires_at = 0;
  }
  if (ends)
    for (auto& f : effective)
      out.acks[f.result].lease_released = !closed.nil();
  out.effects.push_back(
    put_cursor{me_.queue, me_.partition, me_.group, next, closed});
}

// -- extensions ---------------------------------------------------------------

lease_state::extend_verdict
lease_state::judge_extend(const extend_lease& call,
                          const queue_options& options, time_us now) const {
  extend_verdict out;
  if (!is_live_lease(call.lease_id, now)) {
    out.reply.error = "unknown or expired lease";
    return out;
  }
  auto next = *row_;
  next.expires_at =
    now + int64_t{call.seconds.value_or(options.lease_time)} * 1000000;
  out.reply.renewed = 1;
  out.reply.expires_at = next.expires_at;
  out.effects.push_back(
    put_cursor{me_.queue, me_.partition, me_.group, next, {}});
  return out;
}

// -- claims -------------------------------------------------------------------

lease_state::claim_range
lease_state::plan_claim(const claim_request& what) const {
  claim_range out;
  out.from = std::max(row_ ? row_->cursor : what.start, what.log_start);
  out.messages = what.batch;
  // What was delivered before comes again as it was, so that every message's
  // deliveryAttempt is exact.
  if (row_ && out.from < row_->seen_below)
    out.messages = static_cast<uint32_t>(
      std::min<offset_t>(what.batch, row_->seen_below - out.from));
  return out;
}

lease_state::granted lease_state::grant(const claim_grant& what) const {
  granted out;
  auto next = row_.value_or(cursor_record{});
  auto closed = next.lease_id; // one that ran out
  out.seen_below = next.seen_below;
  bool again = what.from < next.seen_below;
  out.attempt = again ? next.redeliveries + 1 : 1;
  next.redeliveries = out.attempt;
  next.seen_below = std::max(next.seen_below, what.end);
  next.batch_start = what.from;
  next.batch_end = what.end;
  if (what.auto_ack) {
    next.cursor = what.end;
    next.lease_id = {};
    next.expires_at = 0;
    next.redeliveries = 0;
    next.retries = 0;
  } else {
    next.cursor = what.from;
    next.lease_id = what.lease_id;
    next.expires_at = what.expires_at;
  }
  out.effects.push_back(
    put_cursor{me_.queue, me_.partition, me_.group, next, closed});
  return out;
}

} // namespace queen::actors
