// The world as an actor may know it: time, chance, and how the few actors that
// may block are run. The product gives the real ones, the simulator its own;
// nothing else in actors/ or raft/ reads a clock or a random device.

#pragma once

#include "actors/domain/ids.hpp"

#include <cstdint>

namespace queen::actors {

class environment {
public:
  virtual ~environment() = default;
  /// Wall clock, microseconds since the Unix epoch. May jump.
  virtual int64_t wall_us() = 0;
  /// Steady clock, microseconds from any origin. Never jumps.
  virtual int64_t steady_us() = 0;
  virtual uint64_t random() = 0;
  /// True: actors that block on the disk get a thread of their own.
  virtual bool threads() const = 0;

  domain::uuid new_uuid() {
    return domain::make_uuid_v7(wall_us() / 1000, random(), random());
  }
};

/// A leader's clock: the wall clock at election, never below the last stamp
/// applied, advanced by the steady clock, so that jumps of the wall clock
/// change nothing (ARCHITECTURE.md, Time).
class leader_clock {
public:
  void start(environment& env, domain::time_us last_stamp) {
    auto wall = env.wall_us();
    base_ = wall > last_stamp ? wall : last_stamp;
    steady_ = env.steady_us();
  }
  domain::time_us now(environment& env) const {
    return base_ + (env.steady_us() - steady_);
  }

private:
  domain::time_us base_ = 0;
  int64_t steady_ = 0;
};

} // namespace queen::actors
