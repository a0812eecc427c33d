// Committed state for the unit tests of pure states: effects go through the
// product's applier into a store in memory, and come back as the news that the
// states hear.

#pragma once

#include "actors/applier/applier_state.hpp"
#include "persistence/memory_store.hpp"

#include <catch2/catch.hpp>

namespace queen::test {

constexpr domain::time_us second = 1000000;

class committed {
public:
  committed()
    : store_(std::make_shared<persistence::memory_volume>(), "test"),
      state_(store_) {
    REQUIRE(state_.load());
  }

  actors::applied_entry apply(std::vector<domain::effect> effects,
                              domain::time_us stamp) {
    auto done = state_.apply(++index_, 1, {stamp, {}, std::move(effects)});
    REQUIRE(done);
    REQUIRE(state_.commit());
    return *done;
  }

  persistence::memory_store& store() { return store_; }
  uint64_t index() const { return index_; }

private:
  persistence::memory_store store_;
  actors::applier_state state_;
  uint64_t index_ = 0;
};

inline std::vector<uint32_t> all_of(size_t count) {
  std::vector<uint32_t> out(count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = i;
  return out;
}

inline domain::uuid uuid_of(uint8_t number) {
  domain::uuid out;
  out.bytes[15] = number;
  return out;
}

} // namespace queen::test
