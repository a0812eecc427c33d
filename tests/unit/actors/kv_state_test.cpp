// The rules of spec/kv-timers-locks.md, Key/value, line by line.

#include "actors/kv/kv_state.hpp"
#include "tests/unit/actors/committed.hpp"

using namespace queen;
using namespace queen::domain;
using queen::actors::kv_state;
using queen::test::committed;
using queen::test::second;

namespace {

constexpr time_us start = 1000 * second;

kv_op op(kv_op_kind kind, const std::string& key) {
  kv_op out;
  out.kind = kind;
  out.ns = "n";
  out.key = key;
  return out;
}
kv_op get(const std::string& key) {
  return op(kv_op_kind::get, key);
}
kv_op erase(const std::string& key) {
  return op(kv_op_kind::erase, key);
}
kv_op put(const std::string& key, const std::string& value,
          std::optional<version_t> expect = {}) {
  auto out = op(kv_op_kind::put, key);
  out.value = slice::own(value);
  out.expect = expect;
  return out;
}
kv_op check(const std::string& key, version_t expect) {
  auto out = op(kv_op_kind::check, key);
  out.expect = expect;
  return out;
}
kv_op incr(const std::string& key, int64_t delta) {
  auto out = op(kv_op_kind::incr, key);
  out.delta.whole = delta;
  return out;
}
kv_op required(kv_op what) {
  what.required = true;
  return what;
}

// One tenant whose calls commit at once, unless a test takes the steps itself.
struct tenant {
  committed log;
  uuid id = queen::test::uuid_of(1);
  kv_state state{id, log.store()};
  time_us now = start;

  kv_state::verdict judge(std::vector<kv_op> ops) {
    transaction call;
    call.tenant = id;
    call.kv = std::move(ops);
    return state.judge(call, queen::test::all_of(call.kv.size()), now);
  }
  kv_state::verdict run(std::vector<kv_op> ops) {
    auto out = judge(std::move(ops));
    if (out.reason == refusal::none && !out.effects.empty()) {
      state.fold(out.writes);
      state.applied(log.apply(out.effects, now));
    }
    return out;
  }
  kv_result one(kv_op what) { return run({std::move(what)}).results.at(0); }
};

} // namespace

TEST_CASE("kv: put and get; null is a value") {
  tenant t;
  CHECK_FALSE(t.one(get("k")).found);
  auto put_null = t.one(put("k", "null"));
  CHECK(put_null.applied);
  CHECK(put_null.value == "null");
  auto got = t.one(get("k"));
  CHECK(got.found);
  CHECK(got.value == "null");
  CHECK(got.version == put_null.version);
  CHECK(got.expires_at == 0);
  CHECK(got.updated_at == t.now);
}

TEST_CASE("kv: versions rise over all keys and are never used again") {
  tenant t;
  auto first = t.one(put("a", "1")).version;
  auto second_one = t.one(put("b", "1")).version;
  CHECK(second_one > first);
  CHECK(t.one(erase("a")).applied);
  auto third = t.one(put("a", "1")).version;
  CHECK(third > second_one + 1); // the erase used one, too
  // A call that is judged and not logged uses its versions up.
  t.judge({put("a", "2")});
  CHECK(t.one(put("a", "3")).version > third + 1);
  // A state that is loaded anew goes on behind the last committed one.
  kv_state again{t.id, t.log.store()};
  transaction call;
  call.tenant = t.id;
  call.kv = {put("c", "1")};
  auto after = again.judge(call, {0}, t.now);
  CHECK(after.results[0].version > t.one(get("a")).version);
}

TEST_CASE("kv: expect on a key that is absent, at another version, present") {
  tenant t;
  auto absent = t.one(put("k", "1", 5));
  CHECK_FALSE(absent.applied);
  CHECK(absent.reason == kv_reason::absent);
  auto made = t.one(put("k", "1", 0));
  CHECK(made.applied);
  auto exists = t.one(put("k", "2", 0));
  CHECK(exists.reason == kv_reason::exists);
  CHECK(exists.value == "1");
  CHECK(exists.version == made.version);
  auto other = t.one(put("k", "2", made.version + 1));
  CHECK(other.reason == kv_reason::version);
  CHECK(other.value == "1");
  CHECK(t.one(put("k", "2", made.version)).applied);
}

TEST_CASE("kv: putIfAbsent is a put that expects 0") {
  tenant t;
  auto absent = op(kv_op_kind::put_if_absent, "k");
  absent.value = slice::own("1");
  CHECK(t.one(absent).applied);
  auto lost = t.one(absent);
  CHECK_FALSE(lost.applied);
  CHECK(lost.reason == kv_reason::exists);
}

TEST_CASE("kv: delete") {
  tenant t;
  CHECK_FALSE(t.one(erase("k")).applied);
  auto made = t.one(put("k", "1"));
  auto wrong = erase("k");
  wrong.expect = made.version + 1;
  CHECK(t.one(wrong).reason == kv_reason::version);
  auto right = erase("k");
  right.expect = made.version;
  CHECK(t.one(right).applied);
  CHECK_FALSE(t.one(get("k")).found);
}

TEST_CASE("kv: check holds at a version, 0 for absent, and writes nothing") {
  tenant t;
  auto none = t.run({check("k", 0)});
  CHECK(none.results[0].applied);
  CHECK(none.effects.empty());
  auto made = t.one(put("k", "1"));
  CHECK(t.one(check("k", made.version)).applied);
  CHECK(t.one(check("k", 0)).reason == kv_reason::exists);
  CHECK(t.one(check("k", made.version + 1)).reason == kv_reason::version);
  CHECK(t.one(check("gone", 7)).reason == kv_reason::absent);
}

TEST_CASE("kv: incr counts, within its bounds, numbers only") {
  tenant t;
  CHECK(t.one(incr("c", 5)).value == "5");
  CHECK(t.one(incr("c", -7)).value == "-2");
  auto low = incr("c", -1);
  low.min = number{true, -2, 0};
  auto limit = t.one(low);
  CHECK_FALSE(limit.applied);
  CHECK(limit.reason == kv_reason::limit);
  CHECK(limit.value == "-2");
  auto high = incr("c", 4);
  high.max = number{true, 2, 0};
  CHECK(t.one(high).value == "2");
  CHECK(t.one(high).reason == kv_reason::limit);
  t.one(put("s", "\"text\""));
  CHECK(t.one(incr("s", 1)).reason == kv_reason::type);
  // Whole numbers stay exact; their sum beyond 64 bits is a limit.
  t.one(put("big", "9007199254740993"));
  CHECK(t.one(incr("big", 1)).value == "9007199254740994");
  t.one(put("max", "9223372036854775807"));
  CHECK(t.one(incr("max", 1)).reason == kv_reason::limit);
}

TEST_CASE("kv: a counter's expiry counts from its creation") {
  tenant t;
  auto counted = incr("c", 1);
  counted.ttl_seconds = 10;
  t.one(counted);
  t.now += 6 * second;
  CHECK(t.one(counted).value == "2");
  t.now += 3 * second;
  CHECK(t.one(get("c")).found);
  t.now += 1 * second; // ten after the first
  CHECK_FALSE(t.one(get("c")).found);
  CHECK(t.one(counted).value == "1");
}

TEST_CASE("kv: an expired key does not exist, swept or not") {
  tenant t;
  auto brief = put("k", "1");
  brief.ttl_seconds = 5;
  auto made = t.one(brief);
  t.now += 5 * second - 1;
  CHECK(t.one(get("k")).found);
  CHECK(t.one(check("k", made.version)).applied);
  t.now += 1;
  CHECK_FALSE(t.one(get("k")).found);
  CHECK(t.one(check("k", 0)).applied);
  CHECK_FALSE(t.one(erase("k")).applied);
  CHECK(t.one(put("k", "2", made.version)).reason == kv_reason::absent);
  auto absent = op(kv_op_kind::put_if_absent, "k");
  absent.value = slice::own("3");
  CHECK(t.one(absent).applied);
}

TEST_CASE("kv: reads of a call are answered from the state after its writes") {
  tenant t;
  t.one(put("b", "0"));
  auto many = op(kv_op_kind::get_many, "");
  many.keys = {"c", "b", "a"};
  auto prefix = op(kv_op_kind::get_prefix, "");
  prefix.prefix = "a";
  auto got =
    t.run({get("a"), put("a", "1"), get("a"), erase("b"), many, prefix});
  CHECK(got.results[0].value == "1");
  CHECK(got.results[2].value == "1");
  REQUIRE(got.results[4].rows.size() == 1);
  CHECK(got.results[4].rows[0].key == "a");
  CHECK(got.results[4].missing == std::vector<std::string>{"b", "c"});
  REQUIRE(got.results[5].rows.size() == 1);
}

TEST_CASE("kv: a required loser refuses the whole call and names itself") {
  tenant t;
  auto made = t.one(put("k", "7"));
  auto got = t.judge({put("other", "1"), required(put("k", "8", 0))});
  CHECK(got.reason == refusal::kv_precondition);
  CHECK(got.failed == 1);
  CHECK(got.lost.reason == kv_reason::exists);
  CHECK(got.lost.version == made.version);
  CHECK(got.lost.value == "7");
  CHECK(got.effects.empty());
  CHECK(got.writes.empty());
  // Without it the loser says so and the rest commits.
  auto rest = t.run({put("other", "1"), put("k", "8", 0)});
  CHECK(rest.reason == refusal::none);
  CHECK(rest.results[0].applied);
  CHECK_FALSE(rest.results[1].applied);
}

TEST_CASE("kv: what is decided is judged on before it has applied") {
  tenant t;
  auto first = t.judge({put("k", "1", 0)});
  t.state.fold(first.writes);
  CHECK_FALSE(t.state.settled());
  auto next = t.judge({put("k", "2", 0)});
  CHECK(next.results[0].reason == kv_reason::exists);
  CHECK(next.results[0].value == "1");
  CHECK(next.on_planned);
  auto counted = t.judge({put("k", "2", first.results[0].version)});
  CHECK(counted.results[0].applied);
  t.state.fold(counted.writes);
  t.state.applied(t.log.apply(first.effects, t.now));
  CHECK_FALSE(t.state.settled()); // the second one is still on its way
  CHECK(t.judge({get("k")}).results[0].value == "2");
  t.state.applied(t.log.apply(counted.effects, t.now));
  CHECK(t.state.settled());
  CHECK(t.judge({get("k")}).results[0].value == "2");
  CHECK_FALSE(t.judge({get("k")}).on_planned);
}

TEST_CASE("kv: an erase that is decided hides the stored row") {
  tenant t;
  t.one(put("k", "1"));
  auto gone = t.judge({erase("k")});
  t.state.fold(gone.writes);
  CHECK_FALSE(t.judge({get("k")}).results[0].found);
  auto prefix = op(kv_op_kind::get_prefix, "");
  prefix.prefix = "k";
  CHECK(t.judge({prefix}).results[0].rows.empty());
  CHECK(t.judge({put("k", "2", 0)}).results[0].applied);
}

TEST_CASE("kv: getPrefix pages in key order and says when there is more") {
  tenant t;
  for (auto key : {"p3", "p1", "p2", "q"})
    t.one(put(key, "1"));
  auto page = op(kv_op_kind::get_prefix, "");
  page.prefix = "p";
  page.limit = 2;
  auto first = t.one(page);
  REQUIRE(first.rows.size() == 2);
  CHECK(first.rows[0].key == "p1");
  CHECK(first.rows[1].key == "p2");
  CHECK(first.truncated);
  CHECK(first.next_after == "p2");
  page.after = "p2";
  auto last = t.one(page);
  REQUIRE(last.rows.size() == 1);
  CHECK(last.rows[0].key == "p3");
  CHECK_FALSE(last.truncated);
}

TEST_CASE("kv: tenants and namespaces do not see each other") {
  tenant t;
  t.one(put("k", "1"));
  auto elsewhere = get("k");
  elsewhere.ns = "m";
  CHECK_FALSE(t.one(elsewhere).found);
  kv_state other{queen::test::uuid_of(2), t.log.store()};
  transaction call;
  call.tenant = queen::test::uuid_of(2);
  call.kv = {get("k")};
  CHECK_FALSE(other.judge(call, {0}, t.now).results[0].found);
  auto prefix = op(kv_op_kind::get_prefix, "");
  prefix.prefix = "k";
  call.kv = {prefix};
  CHECK(other.judge(call, {0}, t.now).results[0].rows.empty());
}

TEST_CASE("kv: a value over its ceiling is refused at its turn") {
  tenant t;
  auto large = put("k", "");
  large.value_too_large = true;
  auto got = t.judge({large});
  CHECK(got.reason == refusal::payload_too_large);
  // An earlier loser that is required comes first.
  t.one(put("x", "1"));
  CHECK(t.judge({required(put("x", "2", 0)), large}).reason ==
        refusal::kv_precondition);
}

TEST_CASE("kv: a call's footprint has what it writes and what it scans") {
  transaction call;
  auto prefix = op(kv_op_kind::get_prefix, "");
  prefix.ns = "scanned";
  prefix.prefix = "k";
  auto many = op(kv_op_kind::get_many, "");
  many.keys = {"x", "y"};
  call.kv = {put("a", "1"), get("b"), many, prefix};
  auto got = actors::footprint_of(call, queen::test::all_of(call.kv.size()));
  CHECK(got.keys.size() == 4);
  CHECK(got.written_spaces == std::set<std::string>{"n"});
  CHECK(got.read_spaces == std::set<std::string>{"scanned"});
}
