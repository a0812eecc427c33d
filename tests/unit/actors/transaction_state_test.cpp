// The order of refusals (spec/transaction.md, Verdict), and the answer that
// is put together from the votes.

#include "actors/transaction/transaction_state.hpp"
#include "tests/unit/actors/committed.hpp"

using namespace queen;
using namespace queen::domain;
using namespace queen::actors;

namespace {

constexpr participant_kind kinds[] = {
  participant_kind::lease, participant_kind::partition, participant_kind::kv,
  participant_kind::timer_wheel};
constexpr refusal refusals[] = {refusal::rejected_ack, refusal::duplicate,
                                refusal::kv_precondition,
                                refusal::timer_horizon_exceeded};

std::shared_ptr<transaction> call_of(size_t acks, size_t pushes, size_t kv,
                                     size_t timers) {
  auto call = std::make_shared<transaction>();
  call->acks.resize(acks);
  call->pushes.resize(pushes);
  call->kv.resize(kv);
  call->timers.resize(timers);
  return call;
}

seat_plan seat(participant_kind kind, std::vector<uint32_t> items) {
  seat_plan out;
  out.kind = kind;
  out.items = std::move(items);
  return out;
}

vote no(uint32_t slot, refusal reason, std::string error = "no") {
  vote out;
  out.slot = slot;
  out.reason = reason;
  out.error = std::move(error);
  return out;
}
vote yes(uint32_t slot) {
  vote out;
  out.slot = slot;
  return out;
}

transaction_reply reply_of(const reply& what) {
  return std::get<transaction_reply>(what);
}

} // namespace

TEST_CASE("decide: acks, pushes, KV, timers, whatever the order of the votes") {
  // Every set of refusing participants, votes forwards and backwards.
  for (unsigned refusing = 0; refusing < 16; ++refusing)
    for (bool backwards : {false, true}) {
      transaction_state state{call_of(1, 1, 1, 1),
                              nullptr,
                              {seat(kinds[3], {0}), seat(kinds[2], {0}),
                               seat(kinds[1], {0}), seat(kinds[0], {0})},
                              {}};
      for (uint32_t n = 0; n < 4; ++n) {
        auto slot = backwards ? 3 - n : n;
        auto kind = 3 - slot; // the seats are in opposite order
        auto last = state.add(refusing & (1u << kind) ? no(slot, refusals[kind])
                                                      : yes(slot));
        CHECK(last == (n == 3));
      }
      auto decision = state.decide();
      CHECK(decision.commit == (refusing == 0));
      if (refusing == 0)
        continue;
      unsigned first = 0;
      while (!(refusing & (1u << first)))
        ++first;
      CHECK(reply_of(state.answer(nullptr)).reason == refusals[first]);
    }
}

TEST_CASE("decide: among refusals of a kind the call's earliest item counts") {
  for (bool backwards : {false, true}) {
    transaction_state state{call_of(0, 3, 0, 0),
                            nullptr,
                            {seat(participant_kind::partition, {1}),
                             seat(participant_kind::partition, {0, 2})},
                            {}};
    auto first =
      no(backwards ? 1 : 0, refusal::duplicate, backwards ? "of 0" : "of 1");
    auto other =
      no(backwards ? 0 : 1, refusal::duplicate, backwards ? "of 1" : "of 0");
    state.add(first);
    state.add(other);
    state.decide();
    CHECK(reply_of(state.answer(nullptr)).error == "of 0");
  }
}

TEST_CASE("decide: without effects nothing is logged, not even the preamble") {
  transaction_state state{call_of(0, 1, 0, 0),
                          nullptr,
                          {seat(participant_kind::partition, {0})},
                          {put_queue{{}, true}}};
  auto v = yes(0);
  v.pushes.resize(1);
  v.pushes[0].duplicate = true;
  v.pushes[0].offset = 7;
  state.add(v);
  auto got = state.decide();
  CHECK(got.commit);
  CHECK_FALSE(got.writes);
  CHECK(got.effects.empty());
  CHECK(reply_of(state.answer(nullptr)).pushes[0].offset == 7);
}

TEST_CASE("answer: results are in the call's order, offsets from the entry") {
  // Two partitions: items 0 and 2 in the one, 1 in the other.
  transaction_state state{call_of(0, 4, 0, 0),
                          nullptr,
                          {seat(participant_kind::partition, {0, 2, 3}),
                           seat(participant_kind::partition, {1})},
                          {}};
  auto a = yes(0);
  a.pushes.resize(3);
  a.pushes[1].ordinal = 1;
  a.pushes[2].duplicate = a.pushes[2].in_call = true; // repeats item 2
  a.pushes[2].ordinal = 1;
  a.effects = {append{1, 1, {}}};
  auto b = yes(1);
  b.pushes.resize(1);
  b.effects = {append{1, 2, {}}};
  state.add(b);
  state.add(a);
  CHECK(state.decide().effects.size() == 2);
  applied_entry entry;
  entry.appends.resize(2);
  entry.appends[0].first = 100;
  entry.appends[1].first = 200;
  auto got = reply_of(state.answer(&entry)).pushes;
  CHECK(got[0].offset == 100);
  CHECK(got[1].offset == 200);
  CHECK(got[2].offset == 101);
  CHECK(got[3].offset == 101);
  CHECK(got[3].duplicate);
}

TEST_CASE("answer: an ack that nobody was asked about has no partition") {
  transaction_state state{
    call_of(2, 0, 0, 0), nullptr, {seat(participant_kind::lease, {1})}, {}};
  auto v = yes(0);
  v.acks.resize(1);
  v.acks[0].success = true;
  state.add(v);
  state.decide();
  auto got = reply_of(state.answer(nullptr)).acks;
  CHECK_FALSE(got[0].success);
  CHECK_FALSE(got[0].error.empty());
  CHECK(got[1].success);
}

TEST_CASE("answer: an extension adds its partitions up") {
  transaction_state state{
    nullptr,
    std::make_shared<extend_lease>(),
    {seat(participant_kind::lease, {}), seat(participant_kind::lease, {})},
    {}};
  for (uint32_t slot : {0u, 1u}) {
    auto v = yes(slot);
    v.extended.renewed = 1;
    v.extended.expires_at = 10 + slot;
    v.effects = {put_cursor{}};
    state.add(v);
  }
  CHECK(state.decide().writes);
  auto got = std::get<extend_reply>(state.answer(nullptr));
  CHECK(got.renewed == 2);
  CHECK(got.expires_at == 11);
}
