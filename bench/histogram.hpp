// Latencies in buckets that are 1/64 of their power of two wide, so that a
// percentile is right within 1.6 % and recording costs a few instructions.

#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace queen::bench {

class histogram {
public:
  void add(uint64_t value) {
    ++buckets_[slot(value)];
    ++count_;
    if (value > max_)
      max_ = value;
  }
  void merge(const histogram& other) {
    for (size_t i = 0; i < buckets_.size(); ++i)
      buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    max_ = max_ > other.max_ ? max_ : other.max_;
  }
  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }
  /// The value below which `share` (0 to 1) of all lie.
  uint64_t percentile(double share) const {
    auto wanted = static_cast<uint64_t>(share * static_cast<double>(count_));
    uint64_t seen = 0;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen > wanted)
        return upper(i);
    }
    return max_;
  }

private:
  static constexpr int fine_bits = 6;
  static size_t slot(uint64_t v) {
    if (v < (1u << fine_bits))
      return v;
    auto power = std::bit_width(v) - 1 - fine_bits;
    return (static_cast<size_t>(power) << fine_bits) + (v >> power);
  }
  static uint64_t upper(size_t slot) {
    if (slot < (2u << fine_bits))
      return slot;
    auto power = (slot >> fine_bits) - 1;
    return ((slot & ((1u << fine_bits) - 1)) + (1u << fine_bits)) << power;
  }

  std::vector<uint64_t> buckets_ = std::vector<uint64_t>(64 << fine_bits);
  uint64_t count_ = 0, max_ = 0;
};

} // namespace queen::bench
