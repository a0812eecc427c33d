#include "actors/timer_wheel/timer_wheel_state.hpp"

#include <algorithm>

namespace queen::actors {

using namespace domain;

namespace {

constexpr time_us horizon = 60 * 1000000ll; // how far the near part reaches

std::string too_long(const timer_op& op) {
  if (std::max({op.queue.size(), op.timer_key.size(), op.partition.size()}) <=
      name_bytes_max)
    return {};
  return "a queue, partition or timer key is over " +
         std::to_string(name_bytes_max) + " bytes";
}

timer_record planned(const timer_op& op, time_us now) {
  timer_record out;
  out.queue = op.queue;
  out.timer_key = op.timer_key;
  out.partition = op.partition;
  out.message_id = op.message_id;
  out.txn = op.txn.empty() ? to_string(op.message_id) : op.txn;
  out.deliver_at = now + op.delay_us;
  out.created_at = now;
  out.payload = op.payload;
  return out;
}

} // namespace

std::vector<timer_ref> timers_of(const transaction& call,
                                 const std::vector<uint32_t>& items) {
  std::vector<timer_ref> out;
  for (auto item : items)
    out.push_back(
      {call.tenant, call.timers[item].queue, call.timers[item].timer_key});
  return out;
}

std::optional<timer_record>
timer_wheel_state::stored(const timer_ref& which) const {
  auto row = store_.get(key::timer(which.tenant, which.queue, which.timer_key));
  if (!row || !*row)
    return std::nullopt;
  auto decoded = decode_timer(**row);
  if (!decoded)
    return std::nullopt;
  auto out = std::move(*decoded);
  out.payload = slice::own(std::string{out.payload.view});
  return out;
}

timer_wheel_state::verdict
timer_wheel_state::judge(const transaction& call,
                         const std::vector<uint32_t>& items,
                         time_us now) const {
  verdict out;
  auto refuse = [&out](refusal reason, std::string error) {
    out = {};
    out.reason = reason;
    out.error = std::move(error);
    return out;
  };
  for (auto item : items) {
    auto& op = call.timers[item];
    auto there = stored({call.tenant, op.queue, op.timer_key});
    timer_result result;
    if (op.fire) {
      if (!there || there->message_id != op.message_id ||
          there->deliver_at > now)
        return refuse(refusal::internal, "the timer is not due any more");
      out.effects.push_back(erase_timer{call.tenant, op.queue, op.timer_key});
      result.status = timer_status::cancelled;
    } else if (op.kind == timer_op_kind::cancel) {
      result.txn = op.txn;
      if (there) {
        result.status = timer_status::cancelled;
        result.txn = there->txn;
        out.effects.push_back(erase_timer{call.tenant, op.queue, op.timer_key});
      }
    } else {
      if (op.beyond_horizon)
        return refuse(refusal::timer_horizon_exceeded,
                      "timer '" + op.timer_key + "' is beyond the horizon");
      if (op.payload_too_large)
        return refuse(refusal::payload_too_large, "the payload of timer '" +
                                                    op.timer_key +
                                                    "' is over its ceiling");
      if (auto wrong = too_long(op); !wrong.empty())
        return refuse(refusal::name_too_long, wrong);
      auto record = planned(op, now);
      result.status =
        there ? timer_status::rescheduled : timer_status::scheduled;
      result.txn = record.txn;
      result.message_id = record.message_id;
      result.deliver_at = record.deliver_at;
      out.effects.push_back(put_timer{call.tenant, std::move(record)});
    }
    out.results.push_back(std::move(result));
  }
  return out;
}

// -- the near part ------------------------------------------------------------

void timer_wheel_state::forget(const timer_ref& which) {
  auto i = near_.find(which);
  if (i == near_.end())
    return;
  due_.erase({i->second, which});
  near_.erase(i);
}

void timer_wheel_state::set(const timer_ref& which, time_us due) {
  forget(which);
  near_[which] = due;
  due_.insert({due, which});
}

void timer_wheel_state::applied(const applied_entry& entry) {
  for (auto& t : entry.timers) {
    timer_ref which{t.tenant, t.queue, t.timer_key};
    if (t.due != 0 && t.due < read_until_)
      set(which, t.due);
    else
      forget(which);
  }
  shed();
}

void timer_wheel_state::shed() {
  while (due_.size() > near_max_) {
    auto last = std::prev(due_.end());
    read_until_ = std::min(read_until_, last->first);
    auto which = last->second;
    forget(which);
  }
}

void timer_wheel_state::read_on(time_us now) {
  auto until = now + horizon;
  if (read_until_ > now || due_.size() >= near_max_)
    return;
  auto all = key::timers_due();
  auto rows = store_.scan(all, key::prefix_end(all));
  for (rows->seek(key::timers_due_from(read_until_)); rows->valid();
       rows->next()) {
    time_us due = 0;
    timer_ref which;
    if (!key::parse_timer_due(rows->key(), due, which.tenant, which.queue,
                              which.timer_key))
      continue;
    if (due >= until)
      break;
    if (due_.size() >= near_max_) {
      until = due; // itself and what follows is read later
      break;
    }
    if (!near_.count(which))
      set(which, due);
  }
  read_until_ = std::max(read_until_, until);
}

std::vector<timer_ref> timer_wheel_state::take_due(time_us now, size_t count) {
  read_on(now);
  std::vector<timer_ref> out;
  while (out.size() < count && !due_.empty() && due_.begin()->first <= now) {
    out.push_back(due_.begin()->second);
    forget(out.back());
  }
  return out;
}

void timer_wheel_state::again(const timer_ref& which, time_us at) {
  if (!near_.count(which) && stored(which))
    set(which, at);
}

time_us timer_wheel_state::next_wakeup(time_us now) const {
  auto next = std::max(read_until_, now + 1000);
  if (due_.size() >= near_max_)
    next = INT64_MAX;
  if (!due_.empty())
    next = std::min(next, due_.begin()->first);
  return next;
}

} // namespace queen::actors
