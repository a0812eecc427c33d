// The rules of spec/messages.md, Ack and Lease, and of spec/transaction.md, How
// an ack finds its lease, line by line.

#include "actors/lease/lease_state.hpp"
#include "tests/unit/actors/committed.hpp"

#include <map>

using namespace queen;
using namespace queen::domain;
using queen::actors::lease_state;
using queen::test::second;
using queen::test::uuid_of;

namespace {

constexpr time_us start = 1000 * second;
const uuid first_lease = uuid_of(1), second_lease = uuid_of(2);

std::string text(const uuid& id) {
  return std::string{view_of(text_of(id))};
}

// m0, m1, ... at offsets 0, 1, ...
class messages : public actors::message_lookup {
public:
  explicit messages(offset_t count) : count_(count) {}
  std::optional<offset_t> find(std::string_view id, offset_t from,
                               offset_t to) override {
    for (auto at = std::min(to, count_); at-- > from;)
      if (id == "m" + std::to_string(at))
        return at;
    return std::nullopt;
  }
  offset_t recognised_from() override { return recognised; }
  offset_t next() override { return count_; }
  offset_t recognised = 0;

private:
  offset_t count_;
};

struct group {
  lease_state state{{1, 1, "g"}, std::nullopt};
  messages stored{10};
  queue_options options;
  time_us now = start;
  std::vector<effect> last;

  void take(const std::vector<effect>& effects) {
    last = effects;
    for (auto& e : effects)
      if (auto c = std::get_if<put_cursor>(&e))
        state.applied(c->cursor);
  }
  size_t dead_letters() const {
    return static_cast<size_t>(
      std::count_if(last.begin(), last.end(), [](auto& e) {
        return std::holds_alternative<file_dead_letter>(e);
      }));
  }
  uint32_t claim(const uuid& lease, uint32_t batch, bool auto_ack = false) {
    REQUIRE(state.busy_until(now) == 0);
    auto range = state.plan_claim({0, 0, batch});
    lease_state::claim_grant what;
    what.lease_id = lease;
    what.from = range.from;
    what.end = std::min<offset_t>(range.from + range.messages, stored.next());
    what.expires_at = now + 60 * second;
    what.auto_ack = auto_ack;
    auto granted = state.grant(what);
    take(granted.effects);
    return what.from < granted.seen_below ? granted.attempt : 1;
  }
  static ack_item ack(const std::string& id, ack_status status,
                      std::optional<uuid> lease) {
    ack_item out;
    out.transaction_id = id;
    out.partition = 1;
    out.group = "g";
    out.status = status;
    if (lease)
      out.lease_id = text(*lease);
    return out;
  }
  lease_state::acks_verdict acks(call_kind kind, std::vector<ack_item> items,
                                 std::vector<std::string> required = {}) {
    transaction call;
    call.kind = kind;
    call.request_id = uuid_of(99);
    call.acks = std::move(items);
    call.required_leases = std::move(required);
    auto out = state.judge_acks(call, queen::test::all_of(call.acks.size()),
                                options, now, stored);
    if (out.reason == refusal::none)
      take(out.effects);
    else
      CHECK(out.effects.empty());
    return out;
  }
  ack_result plain(const std::string& id, ack_status status,
                   std::optional<uuid> lease) {
    return acks(call_kind::ack, {ack(id, status, lease)}).acks.at(0);
  }
  refusal step(const std::string& id, ack_status status,
               std::optional<uuid> lease,
               std::vector<std::string> required = {}) {
    return acks(call_kind::transaction, {ack(id, status, lease)},
                std::move(required))
      .reason;
  }
  offset_t cursor() const { return state.row()->cursor; }
  bool leased() const { return !state.row()->lease_id.nil(); }
};

constexpr auto completed = ack_status::completed;
constexpr auto failed = ack_status::failed;
constexpr auto retry = ack_status::retry;
constexpr auto dlq = ack_status::dlq;

} // namespace

TEST_CASE(
  "lease: completed moves the cursor; the last message ends the lease") {
  group g;
  g.claim(first_lease, 3);
  CHECK(g.state.busy_until(g.now) == start + 60 * second);
  auto one = g.plain("m1", completed, first_lease); // m0 is done with it
  CHECK(one.success);
  CHECK_FALSE(one.lease_released);
  CHECK(g.cursor() == 2);
  CHECK(g.leased());
  auto last = g.plain("m2", completed, first_lease);
  CHECK(last.success);
  CHECK(last.lease_released);
  CHECK(g.cursor() == 3);
  CHECK_FALSE(g.leased());
  CHECK(g.state.busy_until(g.now) == 0);
}

TEST_CASE("lease: failed spends an attempt, and is redelivered from there") {
  group g;
  g.options.retry_limit = 2;
  g.claim(first_lease, 3);
  auto got = g.acks(call_kind::ack, {group::ack("m0", completed, first_lease),
                                     group::ack("m1", failed, first_lease)});
  CHECK(got.acks[1].success);
  CHECK(got.acks[1].lease_released);
  CHECK_FALSE(got.acks[1].dlq);
  CHECK(g.cursor() == 1);
  CHECK(g.state.row()->retries == 1);
  CHECK(g.claim(second_lease, 3) == 2); // deliveryAttempt
}

TEST_CASE("lease: failed beyond retryLimit is filed and passed") {
  group g;
  g.options.retry_limit = 0; // the first
  g.claim(first_lease, 3);
  auto got = g.plain("m0", failed, first_lease);
  CHECK(got.dlq);
  CHECK(g.dead_letters() == 1);
  CHECK(g.cursor() == 1);
  // Without a dead letter queue it is dropped, and passed all the same.
  group drops;
  drops.options.retry_limit = 0;
  drops.options.dead_letter_queue = false;
  drops.options.dlq_after_max_retries = false;
  drops.claim(first_lease, 3);
  CHECK_FALSE(drops.plain("m0", failed, first_lease).dlq);
  CHECK(drops.dead_letters() == 0);
  CHECK(drops.cursor() == 1);
}

TEST_CASE("lease: retry releases and spends nothing") {
  group g;
  g.claim(first_lease, 3);
  CHECK(g.plain("m0", retry, first_lease).lease_released);
  CHECK(g.cursor() == 0);
  CHECK(g.state.row()->retries == 0);
  CHECK(g.claim(second_lease, 3) == 2);
}

TEST_CASE("lease: dlq files now and passes it") {
  group g;
  g.claim(first_lease, 3);
  auto got = g.plain("m0", dlq, first_lease);
  CHECK(got.success);
  CHECK(got.dlq);
  CHECK(g.dead_letters() == 1);
  CHECK(g.cursor() == 1);
  CHECK_FALSE(g.leased());
}

TEST_CASE("lease: a call's cursor stops at the lowest that comes back") {
  group g;
  g.claim(first_lease, 5);
  auto got = g.acks(call_kind::ack, {group::ack("m4", completed, first_lease),
                                     group::ack("m2", retry, first_lease),
                                     group::ack("m0", dlq, first_lease)});
  CHECK(g.cursor() == 2); // m1 is completed with m4, m2 comes back
  CHECK(got.acks[2].dlq);
  CHECK(g.claim(second_lease, 5) == 2); // m4 is delivered again
}

TEST_CASE("lease: at one offset dlq beats failed beats retry") {
  group g;
  g.claim(first_lease, 2);
  g.acks(call_kind::ack, {group::ack("m0", retry, first_lease),
                          group::ack("m0", failed, first_lease),
                          group::ack("m0", dlq, first_lease)});
  CHECK(g.dead_letters() == 1);
  CHECK(g.cursor() == 1);
  group h;
  h.claim(first_lease, 2);
  h.acks(call_kind::ack, {group::ack("m0", failed, first_lease),
                          group::ack("m0", retry, first_lease)});
  CHECK(h.state.row()->retries == 1);
  CHECK(h.cursor() == 0);
}

TEST_CASE("lease: the retry counter starts again when a batch completes") {
  group g;
  g.claim(first_lease, 2);
  g.plain("m0", failed, first_lease);
  CHECK(g.state.row()->retries == 1);
  g.claim(second_lease, 2);
  g.plain("m1", completed, second_lease);
  CHECK(g.state.row()->retries == 0);
}

TEST_CASE("lease: a lease that is not the live one moves nothing") {
  group g;
  g.claim(first_lease, 3);
  auto got = g.plain("m0", completed, second_lease);
  CHECK_FALSE(got.success);
  CHECK(got.error == "invalid or expired lease");
  CHECK(g.cursor() == 0);
  g.now += 60 * second; // expired
  CHECK(g.plain("m0", completed, first_lease).error ==
        "invalid or expired lease");
  CHECK(g.cursor() == 0);
  // Without a lease it works, also after the expiry.
  CHECK(g.plain("m0", completed, {}).success);
  CHECK(g.cursor() == 1);
}

TEST_CASE("lease: expiry frees the batch and spends no retry") {
  group g;
  g.claim(first_lease, 3);
  g.now += 60 * second - 1;
  CHECK(g.state.busy_until(g.now) != 0);
  g.now += 1;
  CHECK(g.state.busy_until(g.now) == 0);
  CHECK(g.claim(second_lease, 3) == 2);
  CHECK(g.state.row()->retries == 0);
  CHECK(g.plain("m0", completed, first_lease).error ==
        "invalid or expired lease");
  CHECK(g.plain("m0", completed, second_lease).success);
}

TEST_CASE("lease: a repeated completed ack is a no-op, others are refused") {
  group g;
  g.claim(first_lease, 2);
  g.plain("m0", completed, first_lease);
  auto again = g.plain("m0", completed, first_lease);
  CHECK(again.success);
  CHECK(again.noop);
  CHECK(g.plain("m0", completed, {}).noop);
  for (auto status : {failed, retry, dlq}) {
    auto got = g.plain("m0", status, {});
    CHECK_FALSE(got.success);
    CHECK(got.error.find("already committed") != std::string::npos);
  }
  CHECK(g.cursor() == 1);
  CHECK(g.leased());
}

TEST_CASE("lease: the ack that released its lease is known for ever") {
  group g;
  g.claim(first_lease, 2);
  g.plain("m1", completed, first_lease);
  g.stored.recognised = 10; // the window has gone by
  CHECK(g.plain("m1", completed, first_lease).noop);
  auto unknown = g.plain("m0", completed, {});
  CHECK_FALSE(unknown.success);
  CHECK(unknown.error.find("unresolvable") != std::string::npos);
}

TEST_CASE("lease: an id that is not found leaves the lease alone") {
  group g;
  g.claim(first_lease, 2);
  auto got = g.plain("nothing", completed, first_lease);
  CHECK_FALSE(got.success);
  CHECK(got.error.find("unresolvable") != std::string::npos);
  CHECK(g.leased());
  // A message behind the batch is none of the lease's.
  CHECK_FALSE(g.plain("m5", completed, first_lease).success);
  CHECK(g.cursor() == 0);
}

TEST_CASE("lease: a group without a cursor has nothing to ack") {
  group g;
  CHECK_FALSE(g.plain("m0", completed, {}).success);
  CHECK(g.step("m0", completed, {}) == refusal::rejected_ack);
}

TEST_CASE("lease: autoAck commits at delivery") {
  group g;
  CHECK(g.claim(uuid{}, 3, true) == 1);
  CHECK(g.cursor() == 3);
  CHECK_FALSE(g.leased());
}

// -- on the transaction route -------------------------------------------------

TEST_CASE("step: a fence that does not hold refuses the call") {
  group g;
  g.claim(first_lease, 2);
  CHECK(g.step("m0", completed, second_lease) == refusal::rejected_ack);
  CHECK(g.step("m5", completed, first_lease) == refusal::rejected_ack);
  CHECK(g.step("nothing", completed, first_lease) == refusal::rejected_ack);
  CHECK(g.step("m0", completed, first_lease) == refusal::none);
  // Done, and the lease still covers m1: a no-op.
  CHECK(g.step("m0", completed, first_lease) == refusal::none);
  CHECK(g.cursor() == 1);
  CHECK(g.step("m1", completed, first_lease) == refusal::none);
  // The lease is released: the same ack again is refused.
  CHECK(g.step("m1", completed, first_lease) == refusal::rejected_ack);
}

TEST_CASE("step: an ack whose lease ran out is refused") {
  group g;
  g.claim(first_lease, 2);
  g.now += 60 * second;
  CHECK(g.step("m0", completed, first_lease) == refusal::rejected_ack);
  CHECK(g.cursor() == 0);
}

TEST_CASE("step: requiredLeases fence an ack that names none of its own") {
  group g;
  g.claim(first_lease, 2);
  CHECK(g.step("m0", completed, {}, {text(second_lease)}) ==
        refusal::rejected_ack);
  CHECK(g.step("m0", completed, {}, {text(second_lease), text(first_lease)}) ==
        refusal::none);
  // Its own comes first: a good list does not help a bad lease.
  CHECK(g.step("m1", completed, second_lease, {text(first_lease)}) ==
        refusal::rejected_ack);
}

TEST_CASE("step: an ack with no lease is not checked and moves the cursor") {
  group g;
  g.claim(first_lease, 2);
  CHECK(g.step("m0", completed, {}) == refusal::none);
  CHECK(g.cursor() == 1);
  CHECK(g.leased());
  CHECK(g.step("m0", completed, {}) == refusal::none); // done: a no-op
  for (auto status : {failed, retry, dlq})
    CHECK(g.step("m0", status, {}) == refusal::rejected_ack);
  CHECK(g.step("nothing", completed, {}) == refusal::rejected_ack);
}

// -- extensions ---------------------------------------------------------------

TEST_CASE("extend: the live lease only, by its seconds or the queue's") {
  group g;
  g.options.lease_time = 30;
  g.claim(first_lease, 2);
  extend_lease call;
  call.lease_id = text(first_lease);
  call.seconds = 100;
  auto got = g.state.judge_extend(call, g.options, g.now);
  CHECK(got.reply.renewed == 1);
  CHECK(got.reply.expires_at == start + 100 * second);
  g.take(got.effects);
  call.seconds.reset();
  CHECK(g.state.judge_extend(call, g.options, g.now).reply.expires_at ==
        start + 30 * second);
  call.lease_id = text(second_lease);
  got = g.state.judge_extend(call, g.options, g.now);
  CHECK(got.reply.renewed == 0);
  CHECK_FALSE(got.reply.error.empty());
  CHECK(got.effects.empty());
  call.lease_id = "no uuid";
  CHECK(g.state.judge_extend(call, g.options, g.now).reply.renewed == 0);
}

// -- claims -------------------------------------------------------------------

TEST_CASE("claim: what was delivered before comes again as it was") {
  group g;
  g.claim(first_lease, 3);
  g.now += 60 * second;
  auto range = g.state.plan_claim({0, 0, 10});
  CHECK(range.from == 0);
  CHECK(range.messages == 3); // m3 has not been delivered: attempt 1
  range = g.state.plan_claim({0, 2, 10}); // retention took m0 and m1
  CHECK(range.from == 2);
  CHECK(range.messages == 1);
}
