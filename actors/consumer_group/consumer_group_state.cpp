#include "actors/consumer_group/consumer_group_state.hpp"

#include "config/ensure.hpp"

#include <algorithm>
#include <utility>

namespace queen::actors {

using domain::partition_id;
using domain::time_us;

namespace {

// A claim this close to the caller's deadline would be answered to nobody.
constexpr time_us last_moments_us = 2000;
// A lease with a call in flight is asked again after about one commit.
constexpr time_us busy_retry_us = 1000;

} // namespace

// -- hints --------------------------------------------------------------------

void consumer_group_state::set(partition_id id, hint& h, status is,
                               time_us at) {
  ready_.erase({h.at, id});
  later_.erase({h.at, id});
  h.is = is;
  h.at = at;
  if (is == status::ready) {
    ready_.insert({at, id});
    if (auto p = pinned_.find(id); p != pinned_.end())
      changed_.insert(p->second.begin(), p->second.end());
  }
  if (is == status::leased || is == status::delayed)
    later_.insert({at, id});
}

void consumer_group_state::forget(partition_id id) {
  auto i = hints_.find(id);
  if (i == hints_.end())
    return;
  ready_.erase({i->second.at, id});
  later_.erase({i->second.at, id});
  hints_.erase(i);
}

// Drops the newest hints; the scan starts again at the lowest one dropped.
void consumer_group_state::shed() {
  while (ready_.size() > candidates_max_) {
    auto id = std::prev(ready_.end())->second;
    forget(id);
    scan_from_ = scan_done_ ? id : std::min(scan_from_, id);
    scan_done_ = false;
  }
}

void consumer_group_state::appended(partition_id id, domain::offset_t end,
                                    time_us at) {
  auto [i, fresh] = hints_.try_emplace(id);
  auto& h = i->second;
  h.next = std::max(h.next, end);
  if (fresh) {
    set(id, h, status::ready, at);
    shed();
  } else if (h.is == status::claiming) {
    h.dirty = true;
  }
}

void consumer_group_state::cursor_moved(partition_id id,
                                        const domain::cursor_record& c,
                                        time_us now) {
  auto [i, fresh] = hints_.try_emplace(id);
  auto& h = i->second;
  h.dirty = false;
  if (!c.lease_id.nil())
    set(id, h, status::leased, c.expires_at);
  else if (fresh || h.next > c.cursor)
    set(id, h, status::ready, now);
  else
    forget(id);
  shed();
}

void consumer_group_state::scanned(partition_id id, domain::offset_t log_start,
                                   domain::offset_t next, time_us last_at,
                                   const domain::cursor_record* cursor,
                                   time_us now) {
  auto from = cursor ? std::max(cursor->cursor, log_start) : log_start;
  bool leased = cursor && !cursor->lease_id.nil() && cursor->expires_at > now;
  if (next <= from || hints_.contains(id))
    return; // a live hint knows more than the row that was read
  auto& h = hints_[id];
  h.next = next;
  set(id, h, leased ? status::leased : status::ready,
      leased ? cursor->expires_at : last_at);
}

void consumer_group_state::scan_ended(partition_id next_from, bool done) {
  scanning_ = false;
  scan_from_ = next_from;
  scan_done_ = done;
  for (auto& [id, t] : tickets_)
    changed_.insert(id);
}

void consumer_group_state::forget_all() {
  hints_.clear();
  ready_.clear();
  later_.clear();
  scan_done_ = true;
}

void consumer_group_state::release_due(time_us now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    auto [at, id] = *later_.begin();
    set(id, hints_.at(id), status::ready, at);
  }
}

// -- pops ---------------------------------------------------------------------

void consumer_group_state::seek(ticket_id id, ticket& t) {
  t.is = phase::seeking;
  changed_.insert(id);
  deadlines_.insert({t.limits.deadline, id});
  if (t.limits.only)
    pinned_[*t.limits.only].insert(id);
  else if (!t.limits.only_unknown)
    seekers_.insert(id);
}

void consumer_group_state::stop_seeking(ticket_id id, const ticket& t) {
  changed_.erase(id);
  deadlines_.erase({t.limits.deadline, id});
  seekers_.erase(id);
  if (!t.limits.only)
    return;
  auto p = pinned_.find(*t.limits.only);
  if (p != pinned_.end() && p->second.erase(id) && p->second.empty())
    pinned_.erase(p);
}

void consumer_group_state::open(ticket_id id, pop_limits limits) {
  seek(id,
       tickets_.emplace(id, ticket{limits, 0, phase::seeking}).first->second);
}

void consumer_group_state::found(ticket_id id, partition_id partition) {
  auto i = tickets_.find(id);
  if (i == tickets_.end())
    return;
  i->second.limits.only = partition;
  i->second.limits.only_unknown = false;
  seek(id, i->second);
}

std::vector<ticket_id> consumer_group_state::waiting_for_unknown() const {
  std::vector<ticket_id> out;
  for (auto& [id, t] : tickets_)
    if (t.limits.only_unknown)
      out.push_back(id);
  return out;
}

void consumer_group_state::claimed(ticket_id id, partition_id partition,
                                   const claim_outcome& outcome, time_us now) {
  auto h = hints_.find(partition);
  if (h != hints_.end() && h->second.is == status::claiming &&
      !outcome.granted) {
    bool dirty = std::exchange(h->second.dirty, false);
    if (outcome.again_at > now)
      set(partition, h->second, status::delayed, outcome.again_at);
    else if (outcome.busy)
      set(partition, h->second, status::delayed, now + busy_retry_us);
    else if (dirty)
      set(partition, h->second, status::ready, now);
    else
      forget(partition);
  }
  auto i = tickets_.find(id);
  if (i == tickets_.end())
    return;
  auto& t = i->second;
  if (outcome.granted) {
    ++t.granted;
    t.limits.batch -= std::min(t.limits.batch, outcome.messages);
    --t.limits.partitions;
  }
  seek(id, t);
}

bool consumer_group_state::cancel(ticket_id id) {
  auto i = tickets_.find(id);
  if (i == tickets_.end())
    return false;
  auto t = i->second;
  close(id);
  return t.is == phase::seeking && t.granted == 0;
}

void consumer_group_state::close(ticket_id id) {
  auto i = tickets_.find(id);
  if (i == tickets_.end())
    return;
  stop_seeking(id, i->second);
  tickets_.erase(i);
}

std::optional<partition_id> consumer_group_state::pick(const ticket& t) const {
  if (t.limits.only_unknown)
    return std::nullopt;
  if (!t.limits.only)
    return ready_.empty() ? std::nullopt
                          : std::optional{ready_.begin()->second};
  auto h = hints_.find(*t.limits.only);
  bool ready = h != hints_.end() && h->second.is == status::ready;
  return ready ? t.limits.only : std::nullopt;
}

void consumer_group_state::evaluate(ticket_id id, time_us now,
                                    std::vector<group_action>& out) {
  auto& t = tickets_.at(id);
  changed_.erase(id);
  bool late = t.limits.wait && now + last_moments_us >= t.limits.deadline;
  bool full = t.limits.batch == 0 || t.limits.partitions == 0;
  auto candidate = late || full ? std::nullopt : pick(t);
  if (candidate) {
    stop_seeking(id, t);
    t.is = phase::claiming;
    auto& h = hints_.at(*candidate);
    h.dirty = false;
    set(*candidate, h, status::claiming, 0);
    out.push_back(start_claim{id, *candidate, t.limits.batch});
    return;
  }
  // Where the scan has not come to an end it may still find something.
  bool over = late || scan_done_ || t.limits.only_unknown;
  if (t.granted > 0) {
    stop_seeking(id, t);
    t.is = phase::ending;
    out.push_back(commit_claims{id});
  } else if (over && (late || !t.limits.wait)) {
    stop_seeking(id, t);
    t.is = phase::ending;
    out.push_back(answer_empty{id});
  }
}

std::vector<group_action> consumer_group_state::next(time_us now) {
  release_due(now);
  std::vector<group_action> out;
  for (auto& [at, id] : deadlines_) {
    if (at > now + last_moments_us)
      break;
    changed_.insert(id);
  }
  while (!changed_.empty())
    evaluate(*changed_.begin(), now, out);
  while (!ready_.empty() && !seekers_.empty())
    evaluate(*seekers_.begin(), now, out);
  if (!scan_done_ && !scanning_ && (!seekers_.empty() || !pinned_.empty())) {
    scanning_ = true;
    out.push_back(scan_partitions{scan_from_});
  }
  return out;
}

time_us consumer_group_state::next_wakeup() const {
  time_us at = 0;
  if (!deadlines_.empty())
    at = std::max<time_us>(1, deadlines_.begin()->first - last_moments_us);
  if (!tickets_.empty() && !later_.empty())
    at = at == 0 ? later_.begin()->first : std::min(at, later_.begin()->first);
  return at;
}

} // namespace queen::actors
