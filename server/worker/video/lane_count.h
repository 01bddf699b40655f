// SPDX-License-Identifier: Apache-2.0
// Chooses the number of segments that a video job renders at the same time, by measurement: the
// number is doubled as long as the rate increases and the device is not busy.
#pragma once

#include <optional>

#include "base/clock.h"

namespace weft::worker {

// Pure; not thread-safe.
class LaneCount {
 public:
  // The rate of a number of lanes is measured over this number of frames, since they leave in
  // batches, within these limits of the time.
  static constexpr int64_t kFrames = 480;
  static constexpr Duration kLeastTime = std::chrono::milliseconds(500);
  static constexpr Duration kMostTime = std::chrono::seconds(3);
  // Least gain of the rate for which more lanes are kept.
  static constexpr double kLeastGain = 1.05;
  // Share of the time for which a device counts as busy; more lanes are not tried then.
  static constexpr double kBusyShare = 0.9;

  explicit LaneCount(int most) : most_(most) {}

  // The job's counters at a time.
  struct Point {
    TimePoint time{};
    int64_t frames = 0;  // frames that have left the last stage
    Duration device{0};  // device time
    int started = 0;     // lanes that have delivered a picture
  };
  // Returns the number of lanes that should run. The counters must not decrease.
  int update(const Point& point);
  // Limits the number, because the device or the host has no memory for another lane. A limit that
  // is not below the current one has no effect.
  void limit(int lanes);
  int lanes() const { return lanes_; }
  bool is_settled() const { return is_settled_; }
  // Returns the best measured rate, in frames a second.
  double rate() const { return best_rate_; }

 private:
  int most_;
  int lanes_ = 1;
  bool is_settled_ = false;
  std::optional<Point> from_;  // begin of the current measurement
  int best_ = 1;
  double best_rate_ = 0;
};

}  // namespace weft::worker
