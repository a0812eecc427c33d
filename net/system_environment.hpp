// The real world for the product's actors: the machine's clocks and a random
// generator seeded by its random device. The simulator gives another one.

#pragma once

#include "actors/environment.hpp"

namespace queen::net {

class system_environment : public actors::environment {
public:
  int64_t wall_us() override;
  int64_t steady_us() override;
  uint64_t random() override;
  bool threads() const override { return true; }
};

} // namespace queen::net
