// SPDX-License-Identifier: Apache-2.0
// Computes the arrivals of a load's frames. Arrivals do not depend on the end of previous frames
// (open loop).
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "bench/spare_time/policy.h"

namespace weft::bench {

class Arrivals {
 public:
  Arrivals(const Load& load, TimePoint first) : load_(load) {
    for (const auto& stream : load.streams) next_.push_back(first + stream.offset);
  }

  // Calls `arrive(stream, scheduled time)` for each frame that has arrived.
  void take(TimePoint now, const std::function<void(int, TimePoint)>& arrive) {
    for (size_t i = 0; i < next_.size(); i++) {
      if (now < next_[i]) continue;
      arrive(int(i), next_[i]);
      next_[i] += gap_of(load_.streams[i]);
    }
  }

 private:
  Duration gap_of(const Load::StreamSpec& stream) {
    if (!stream.poisson) return stream.period;
    return Duration(
        int64_t(std::exponential_distribution<double>(1 / double(stream.period.count()))(random_)));
  }

  const Load& load_;
  std::mt19937 random_{7};  // gives the same arrivals in every row
  std::vector<TimePoint> next_;
};

}  // namespace weft::bench
