#include "tests/sim/pipeline.hpp"

#include <algorithm>

namespace queen::sim {

using namespace domain;

namespace {

constexpr int64_t second = 1'000'000;
constexpr uint32_t lease_seconds = 2;
constexpr const char* group_name = "g";

uint64_t hash(const std::string& id) {
  return id_hash(id);
}

kv_op increment(const std::string& key, int64_t delta) {
  kv_op out;
  out.kind = kv_op_kind::incr;
  out.ns = "count";
  out.key = key;
  out.delta.whole = delta;
  return out;
}

} // namespace

pipeline::pipeline(world& in, options what) : in_(in), options_(what) {}

void pipeline::wrong(std::string what) {
  complaints_.push_back(std::to_string(in_.now_us()) +
                        " us: " + std::move(what));
}

bool pipeline::has_timer(const std::string& id) {
  return hash(id) % 3 == 0;
}
int64_t pipeline::delay_of(const std::string& id) {
  return static_cast<int64_t>(hash(id) / 3 % (4 * second));
}

std::string pipeline::id_of(uint32_t partition, uint32_t number) const {
  return "p" + std::to_string(partition) + "#" + std::to_string(number);
}

transaction pipeline::call(call_kind kind) {
  transaction out;
  out.request_id = in_.fresh_uuid();
  out.tenant = default_tenant();
  out.kind = kind;
  return out;
}

void pipeline::start() {
  for (uint32_t p = 0; p < options_.partitions; ++p)
    produce(p, 0);
  for (uint32_t w = 0; w < options_.workers; ++w)
    work();
  for (uint32_t c = 0; c < options_.counters; ++c)
    count();
  observe();
}

// -- producers: in order, again under the same id when the outcome is unknown
// --

void pipeline::produce(uint32_t partition, uint32_t number) {
  if (number == options_.messages)
    return;
  auto push = call(call_kind::push);
  push_item item;
  item.queue = "in";
  item.partition = "p" + std::to_string(partition);
  item.transaction_id = id_of(partition, number);
  item.message_id = in_.fresh_uuid();
  item.payload = slice::own("1");
  push.pushes.push_back(std::move(item));
  in_.ask(std::move(push), [=, this](std::optional<reply> got) {
    bool known = got && std::holds_alternative<transaction_reply>(*got);
    if (known) {
      auto& pushed = std::get<transaction_reply>(got.value());
      if (pushed.reason != refusal::none ||
          pushed.pushes.at(0).offset != number)
        wrong("push of " + id_of(partition, number) + " is at offset " +
              std::to_string(pushed.pushes.at(0).offset));
    }
    auto next = known ? number + 1 : number;
    in_.after(static_cast<int64_t>(in_.random_below(200'000)),
              [=, this] { produce(partition, next); });
  });
}

// -- workers ------------------------------------------------------------------

void pipeline::work() {
  if (steps_done_ == total())
    return;
  pop what;
  what.request_id = in_.fresh_uuid();
  what.tenant = default_tenant();
  what.queue = "in";
  what.group = group_name;
  what.mode = subscription_mode::all;
  what.batch = 1 + static_cast<uint32_t>(in_.random_below(4));
  what.partitions = 1 + static_cast<uint32_t>(in_.random_below(2));
  what.lease_seconds = lease_seconds;
  what.wait = in_.random_below(2) == 0;
  what.timeout_ms = 1000;
  auto asked_at = in_.now_us();
  in_.ask(what, [=, this](std::optional<reply> got) {
    if (!got || std::holds_alternative<error>(*got))
      return in_.after(100'000, [this] { work(); });
    popped(std::get<pop_reply>(*got), asked_at);
  });
}

void pipeline::popped(const pop_reply& got, int64_t asked_at) {
  if (got.partitions.empty())
    return in_.after(static_cast<int64_t>(in_.random_below(200'000)),
                     [this] { work(); });
  for (auto& p : got.partitions) {
    auto& holder = leases_[p.partition];
    if (holder.until > in_.now_us())
      wrong("partition " + p.partition + " was leased to two");
    holder = {got.lease_id, asked_at + lease_seconds * second};
    for (auto& m : p.messages)
      if (stepped_.count(std::string{m.transaction_id}))
        wrong(std::string{m.transaction_id} + " was delivered after its ack");
  }
  switch (in_.random_below(10)) {
  case 0: // it dies with the batch in its hands
    return in_.after(100'000, [this] { work(); });
  case 1: // it is slow; its lease may run out
    return in_.after(static_cast<int64_t>(in_.random_below(3 * second)),
                     [=, this] { step(got); });
  default:
    return step(got);
  }
}

void pipeline::step(const pop_reply& got) {
  auto what = call(call_kind::transaction);
  std::vector<std::string> ids;
  for (auto& p : got.partitions)
    for (auto& m : p.messages) {
      std::string id{m.transaction_id};
      ack_item ack;
      ack.transaction_id = id;
      ack.partition = p.id;
      ack.group = group_name;
      ack.lease_id = std::string{view_of(text_of(got.lease_id))};
      what.acks.push_back(std::move(ack));
      push_item item;
      item.queue = "out";
      item.partition = p.partition;
      item.transaction_id = id;
      item.message_id = in_.fresh_uuid();
      item.payload = slice::own("2");
      what.pushes.push_back(std::move(item));
      kv_op marker;
      marker.kind = kv_op_kind::put_if_absent;
      marker.ns = "marker";
      marker.key = id;
      marker.value = slice::own("true");
      marker.required = true;
      what.kv.push_back(std::move(marker));
      if (has_timer(id)) {
        timer_op timer;
        timer.queue = "late";
        timer.timer_key = id;
        timer.delay_us = delay_of(id);
        timer.txn = id;
        timer.message_id = in_.fresh_uuid();
        timer.payload = slice::own("3");
        what.timers.push_back(std::move(timer));
      }
      ids.push_back(std::move(id));
    }
  what.kv.push_back(increment("steps", static_cast<int64_t>(ids.size())));
  auto lease = got.lease_id;
  in_.ask(std::move(what), [=, this](std::optional<reply> answer) {
    auto verdict = answer ? std::get_if<transaction_reply>(&*answer) : nullptr;
    // Refused or not, what it holds of its lease is not certain any more.
    for (auto& [name, holder] : leases_)
      if (holder.lease == lease)
        holder.until = 0;
    if (verdict && verdict->reason == refusal::none)
      for (auto& id : ids)
        if (!stepped_.insert(id).second)
          wrong(id + " was committed twice");
    if (verdict && verdict->reason != refusal::none &&
        verdict->reason != refusal::rejected_ack)
      wrong("a step was refused for what its fence comes before: " +
            verdict->error);
    in_.after(static_cast<int64_t>(in_.random_below(50'000)),
              [this] { work(); });
  });
}

// -- counters that everyone wants ---------------------------------------------

void pipeline::count() {
  if (steps_done_ == total())
    return;
  auto what = call(call_kind::transaction);
  what.kv = {increment("a", 1), increment("b", -1)};
  if (in_.random_below(2))
    std::swap(what.kv[0], what.kv[1]);
  in_.ask(std::move(what), [this](std::optional<reply> answer) {
    auto verdict = answer ? std::get_if<transaction_reply>(&*answer) : nullptr;
    if (!verdict)
      ++count_unknown_;
    else if (verdict->reason != refusal::none)
      wrong("a count was refused: " + verdict->error);
    else
      ++counted_;
    in_.after(static_cast<int64_t>(in_.random_below(100'000)),
              [this] { count(); });
  });
}

// -- the end ------------------------------------------------------------------

// A step whose answer was lost may have committed, so the node is asked.
void pipeline::observe() {
  auto what = call(call_kind::kv);
  kv_op get;
  get.ns = "count";
  get.key = "steps";
  what.kv.push_back(std::move(get));
  in_.ask(std::move(what), [this](std::optional<reply> got) {
    if (auto verdict = got ? std::get_if<transaction_reply>(&*got) : nullptr)
      if (verdict->kv.at(0).found)
        steps_done_ = std::stoull(verdict->kv[0].value);
    if (steps_done_ < total())
      return in_.after(second, [this] { observe(); });
    // The last timers fire.
    in_.after(10 * second, [this] { quiet_ = true; });
  });
}

void pipeline::read(const std::string& queue, const std::string& partition,
                    std::function<void(const fetched_entry&)> then) {
  fetch what;
  what.tenant = default_tenant();
  what.entries.push_back({queue, partition, 0, 1 << 20});
  in_.ask(what, [then = std::move(then)](std::optional<reply> got) {
    then(std::get<fetch_reply>(got.value()).entries.at(0));
  });
}

void pipeline::check(std::function<void(const std::string&)> complain) {
  for (auto& c : complaints_)
    complain(c);
  auto committed_at = std::make_shared<std::map<std::string, time_us>>();
  for (uint32_t p = 0; p < options_.partitions; ++p) {
    auto name = "p" + std::to_string(p);
    read("out", name, [=, this](const fetched_entry& got) {
      if (got.records.size() != options_.messages)
        complain(name + " has " + std::to_string(got.records.size()) +
                 " messages in out");
      for (uint32_t n = 0; n < got.records.size(); ++n) {
        auto& m = got.records[n];
        (*committed_at)[std::string{m.transaction_id}] = m.created_at;
        if (m.transaction_id != id_of(p, n) || m.offset != n)
          complain(name + " has " + std::string{m.transaction_id} + " where " +
                   id_of(p, n) + " belongs");
      }
    });
  }
  while (in_.step() && committed_at->size() < total()) {
  }
  auto late = std::make_shared<std::set<std::string>>();
  auto finished = std::make_shared<bool>(false);
  read("late", std::string{default_partition},
       [=, this](const fetched_entry& got) {
         for (auto& m : got.records) {
           std::string id{m.transaction_id};
           if (!late->insert(id).second)
             complain("the timer of " + id + " fired twice");
           if (m.created_at < (*committed_at)[id] + delay_of(id))
             complain("the timer of " + id + " fired early");
         }
         for (auto& [id, at] : *committed_at)
           if (has_timer(id) != (late->count(id) == 1))
             complain("the timer of " + id + " is " +
                      (has_timer(id) ? "missing" : "nobody's"));
         *finished = true;
       });
  while (!*finished && in_.step()) {
  }
  auto counted = std::make_shared<bool>(false);
  auto what = call(call_kind::kv);
  for (auto key : {"steps", "a", "b"}) {
    kv_op get;
    get.ns = "count";
    get.key = key;
    what.kv.push_back(std::move(get));
  }
  in_.ask(std::move(what), [=, this](std::optional<reply> got) {
    auto& kv = std::get<transaction_reply>(got.value()).kv;
    auto value = [](const kv_result& r) {
      return r.found ? std::stoll(r.value) : 0;
    };
    if (value(kv[0]) != static_cast<int64_t>(total()))
      complain("steps were counted to " + kv[0].value);
    auto a = static_cast<uint64_t>(value(kv[1]));
    if (a < counted_ || a > counted_ + count_unknown_)
      complain("a is " + kv[1].value + " after " + std::to_string(counted_) +
               " and perhaps " + std::to_string(count_unknown_));
    if (value(kv[1]) != -value(kv[2]))
      complain("a and b are apart: a call was there in part");
    *counted = true;
  });
  while (!*counted && in_.step()) {
  }
  if (!*counted)
    complain("the node stopped answering");
}

} // namespace queen::sim
