#include "net/system_environment.hpp"

#include <chrono>
#include <random>

namespace queen::net {

namespace {

template <class Clock>
int64_t microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           Clock::now().time_since_epoch())
    .count();
}

std::mt19937_64 seeded() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(),
                     device(), device(), device(), device()};
  return std::mt19937_64{seed};
}

} // namespace

int64_t system_environment::wall_us() {
  return microseconds<std::chrono::system_clock>();
}

int64_t system_environment::steady_us() {
  return microseconds<std::chrono::steady_clock>();
}

uint64_t system_environment::random() {
  // One a thread: ids are minted on several, and none should wait.
  thread_local std::mt19937_64 generator = seeded();
  return generator();
}

} // namespace queen::net
