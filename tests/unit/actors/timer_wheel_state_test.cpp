// The rules of spec/kv-timers-locks.md, Timers.

#include "actors/timer_wheel/timer_wheel_state.hpp"
#include "tests/unit/actors/committed.hpp"

using namespace queen;
using namespace queen::domain;
using queen::actors::timer_ref;
using queen::actors::timer_wheel_state;
using queen::test::committed;
using queen::test::second;

namespace {

constexpr time_us start = 1000 * second;
const uuid tenant = queen::test::uuid_of(1);

timer_ref ref(const std::string& key) {
  return {tenant, "q", key};
}

timer_op schedule(const std::string& key, time_us delay, uint8_t number = 1) {
  timer_op out;
  out.queue = "q";
  out.timer_key = key;
  out.delay_us = delay;
  out.txn = "txn-" + key;
  out.message_id = queen::test::uuid_of(number);
  out.payload = slice::own("1");
  return out;
}
timer_op cancel(const std::string& key, const std::string& txn = {}) {
  timer_op out;
  out.kind = timer_op_kind::cancel;
  out.queue = "q";
  out.timer_key = key;
  out.txn = txn;
  return out;
}

struct wheel {
  committed log;
  timer_wheel_state state;
  time_us now = start;

  explicit wheel(size_t near_max = 65536) : state(log.store(), near_max) {}

  timer_wheel_state::verdict judge(std::vector<timer_op> ops) {
    transaction call;
    call.tenant = tenant;
    call.timers = std::move(ops);
    return state.judge(call, queen::test::all_of(call.timers.size()), now);
  }
  timer_result one(timer_op what) {
    auto out = judge({std::move(what)});
    REQUIRE(out.reason == refusal::none);
    if (!out.effects.empty())
      state.applied(log.apply(out.effects, now));
    return out.results.at(0);
  }
  std::vector<std::string> due(size_t count = 100) {
    std::vector<std::string> out;
    for (auto& r : state.take_due(now, count))
      out.push_back(r.timer_key);
    return out;
  }
};

using names = std::vector<std::string>;

} // namespace

TEST_CASE("timers: scheduled, rescheduled, cancelled, absent") {
  wheel w;
  auto first = w.one(schedule("a", 10 * second, 1));
  CHECK(first.status == timer_status::scheduled);
  CHECK(first.deliver_at == start + 10 * second);
  CHECK(first.txn == "txn-a");
  CHECK(first.message_id == queen::test::uuid_of(1));
  auto again = w.one(schedule("a", 20 * second, 2));
  CHECK(again.status == timer_status::rescheduled);
  CHECK(again.message_id == queen::test::uuid_of(2));
  CHECK(w.state.stored(ref("a"))->deliver_at == start + 20 * second);
  auto gone = w.one(cancel("a", "ignored"));
  CHECK(gone.status == timer_status::cancelled);
  CHECK(gone.txn == "txn-a");
  auto absent = w.one(cancel("a", "mine"));
  CHECK(absent.status == timer_status::absent);
  CHECK(absent.txn == "mine");
  CHECK_FALSE(w.state.stored(ref("a")));
}

TEST_CASE("timers: a reschedule of what does not exist schedules") {
  wheel w;
  auto op = schedule("a", second);
  op.kind = timer_op_kind::reschedule;
  CHECK(w.one(op).status == timer_status::scheduled);
}

TEST_CASE("timers: never early, in order of delivery, each once") {
  wheel w;
  w.one(schedule("late", 30 * second));
  w.one(schedule("soon", 10 * second));
  w.one(schedule("next", 20 * second));
  CHECK(w.due().empty());
  CHECK(w.state.next_wakeup(w.now) == start + 10 * second);
  w.now = start + 10 * second - 1;
  CHECK(w.due().empty());
  w.now += 1;
  CHECK(w.due() == names{"soon"});
  CHECK(w.due().empty());
  w.now = start + 40 * second;
  CHECK(w.due(1) == names{"next"});
  CHECK(w.due() == names{"late"});
  CHECK(w.due().empty());
}

TEST_CASE("timers: a cancel takes a due timer away, a reschedule moves it") {
  wheel w;
  w.one(schedule("a", second));
  w.one(schedule("b", second));
  w.one(cancel("a"));
  w.one(schedule("b", 5 * second));
  w.now += 2 * second;
  CHECK(w.due().empty());
  w.now += 3 * second;
  CHECK(w.due() == names{"b"});
}

TEST_CASE("timers: a fire that did not come about comes again") {
  wheel w;
  w.one(schedule("a", second));
  w.now += second;
  CHECK(w.due() == names{"a"});
  w.state.again(ref("a"), w.now + 2 * second);
  CHECK(w.due().empty());
  CHECK(w.state.next_wakeup(w.now) == w.now + 2 * second);
  w.now += 2 * second;
  CHECK(w.due() == names{"a"});
}

TEST_CASE("timers: a fire removes the timer; a second fire finds none") {
  wheel w;
  w.one(schedule("a", second));
  w.now += second;
  auto fire = schedule("a", 0);
  fire.fire = true;
  auto done = w.judge({fire});
  REQUIRE(done.reason == refusal::none);
  REQUIRE(done.effects.size() == 1);
  CHECK(std::holds_alternative<erase_timer>(done.effects[0]));
  w.state.applied(w.log.apply(done.effects, w.now));
  CHECK_FALSE(w.state.stored(ref("a")));
  CHECK(w.judge({fire}).reason != refusal::none);
}

TEST_CASE("timers: a fire of what was rescheduled meanwhile is refused") {
  wheel w;
  w.one(schedule("a", second, 1));
  auto fire = schedule("a", 0, 1);
  fire.fire = true;
  w.one(schedule("a", 100 * second, 2));
  CHECK(w.judge({fire}).reason != refusal::none);
  CHECK(w.state.stored(ref("a")));
}

TEST_CASE("timers: those far ahead stay in the store and are read in time") {
  wheel w{4};
  for (int i = 0; i < 20; ++i)
    w.one(schedule("t" + std::to_string(10 + i), (i + 1) * 3600 * second));
  CHECK(w.state.near() <= 4);
  names fired;
  for (int i = 0; i < 5000 && fired.size() < 20; ++i) {
    auto at = w.state.next_wakeup(w.now);
    REQUIRE(at > w.now);
    w.now = at;
    for (auto& key : w.due()) {
      fired.push_back(key);
      w.one(cancel(key)); // as a fire does
    }
    CHECK(w.state.near() <= 4);
  }
  REQUIRE(fired.size() == 20);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
}

TEST_CASE("timers: a wheel that is loaded anew finds all that is stored") {
  wheel w;
  w.one(schedule("a", second));
  w.one(schedule("b", 90 * 86400 * second));
  timer_wheel_state again{w.log.store()};
  auto wakeup = again.next_wakeup(w.now);
  CHECK(wakeup != 0);
  CHECK(wakeup <= start + second);
  names fired;
  for (auto& r : again.take_due(start + second, 10))
    fired.push_back(r.timer_key);
  CHECK(fired == names{"a"});
}

TEST_CASE("timers: horizon and payload are refused at their turn, in order") {
  wheel w;
  auto far = schedule("a", second);
  far.beyond_horizon = true;
  auto large = schedule("b", second);
  large.payload_too_large = true;
  CHECK(w.judge({far, large}).reason == refusal::timer_horizon_exceeded);
  CHECK(w.judge({large, far}).reason == refusal::payload_too_large);
  CHECK(w.judge({schedule("c", second), far}).effects.empty());
}

TEST_CASE("timers: tenants and queues have names of their own") {
  wheel w;
  w.one(schedule("a", second));
  transaction call;
  call.tenant = queen::test::uuid_of(2);
  call.timers = {cancel("a")};
  CHECK(w.state.judge(call, {0}, w.now).results[0].status ==
        timer_status::absent);
  auto elsewhere = cancel("a");
  elsewhere.queue = "other";
  CHECK(w.one(elsewhere).status == timer_status::absent);
}
