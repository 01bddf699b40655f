// SPDX-License-Identifier: Apache-2.0
// Counts latencies in a histogram of fixed size, with quantiles accurate to one part in sixteen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/clock.h"

namespace weft::worker {

// Not thread-safe: one thread at a time may use it.
class LatencyHistogram {
 public:
  void add(Duration time) {
    const uint64_t ns = uint64_t(std::max<Duration::rep>(time.count(), 0));
    counts_[size_t(bucket(ns))]++;
    total_++;
    max_ = std::max(max_, time);
  }
  int64_t count() const { return total_; }
  Duration max() const { return max_; }

  // Returns the smallest time, rounded up, that is not exceeded by the fraction `share` (0 to 1) of
  // all times; 0 without times.
  Duration quantile(double share) const {
    const auto wanted = int64_t(share * double(total_) + 0.999999);
    int64_t seen = 0;
    for (int i = 0; i < kBuckets; i++) {
      seen += counts_[size_t(i)];
      if (seen >= wanted && seen > 0) return std::min(Duration(upper_end(i)), max_);
    }
    return Duration(0);
  }

 private:
  // Times below 16 ns have a bucket each. Above that, each doubling has 16 buckets.
  static constexpr int kSubBits = 4;
  static constexpr int kBuckets = (64 - kSubBits + 1) << kSubBits;

  static int bucket(uint64_t ns) {
    if (ns < (1u << kSubBits)) return int(ns);
    const int shift = std::bit_width(ns) - 1 - kSubBits;
    return ((shift + 1) << kSubBits) + int((ns >> shift) & ((1u << kSubBits) - 1));
  }
  static Duration::rep upper_end(int index) {
    if (index < (1 << kSubBits)) return index;
    const int shift = (index >> kSubBits) - 1;
    const uint64_t base = (uint64_t(1) << kSubBits) + uint64_t(index & ((1 << kSubBits) - 1));
    return Duration::rep(std::min<uint64_t>(((base + 1) << shift) - 1, uint64_t(INT64_MAX)));
  }

  std::array<int64_t, kBuckets> counts_{};
  int64_t total_ = 0;
  Duration max_{0};
};

}  // namespace weft::worker
