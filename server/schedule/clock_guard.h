// SPDX-License-Identifier: Apache-2.0
// A board at the limit of its power or heat lowers its clock, and then streams' frames take longer although nothing is in
// their way. So a part of the gaps is left idle, that the clock stays up: as much as it takes for frames to lose no more
// than kTolerated of a period by it, and kMost at most. The part follows the clock by integral control: what the clock is lower
// than tolerated moves it, reading by reading.
//
// A board that is suddenly busy takes a second to notice that it draws too much, and then lowers its clock by far more than it has
// to (from 1980 to 1635 MHz on an H200, for a quarter of a second). So after a pause the background comes back over kRise.
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "server/schedule/durations.h"

namespace weft::schedule {

// What the driver tells of the device's clock, some times a second.
struct DeviceClock {
  double megahertz = 0;     // above 0
  bool is_limited = false;  // by the board's power or heat: it would be higher
  double highest = 0;       // MHz that the device has at all; 0: not known
};

class ClockGuard {
 public:
  static constexpr double kMost = 0.03;        // of a gap
  static constexpr double kTolerated = 0.004;  // of a period
  static constexpr double kGain = 0.2;         // of the part, by what frames take longer
  static constexpr double kLargestStep = 0.005;
  static constexpr double kAtFirst = 0.3;  // of a gap, after a pause
  static constexpr Duration kPause = std::chrono::seconds(1), kRise = std::chrono::seconds(2);

  // `load`: of REALTIME streams, as a part of the device's time.
  void tell(const DeviceClock& clock, double load) {
    if (!(clock.megahertz > 0)) return;
    double& seen = clock.is_limited ? highest_limited_ : highest_free_;
    seen = std::max(seen, clock.megahertz);
    const double longer = clock.is_limited ? full(clock) / clock.megahertz - 1 : 0;
    const double over = load > 0 ? longer - kTolerated / load : -1;
    const double step = std::clamp(kGain * over, -kLargestStep, kLargestStep);
    held_back_ = std::clamp(held_back_ + step, 0.0, kMost);
  }
  void background_started(TimePoint now) {
    if (!newest_.has_value() || now - *newest_ > kPause) rises_since_ = now;
    newest_ = now;
  }
  // The part of a gap that is to be left idle, 0 to 1. Nothing while nobody has told of a clock.
  double held_back(TimePoint now) const {
    if (highest_free_ == 0 && highest_limited_ == 0) return 0;
    const bool is_after_pause = !newest_.has_value() || now - *newest_ > kPause;
    const double risen = is_after_pause ? 0 : seconds_of(now - rises_since_) / seconds_of(kRise);
    return std::max(held_back_, kAtFirst * (1 - risen));
  }
  // The same when there was no pause.
  double held_back_for_long() const { return held_back_; }

 private:
  // What it would be: as high as it was when nothing limited it, if it was ever busy then.
  double full(const DeviceClock& clock) const {
    return highest_free_ >= highest_limited_ ? highest_free_ : std::max(clock.highest, highest_limited_);
  }

  double highest_free_ = 0, highest_limited_ = 0;  // MHz, that were told
  double held_back_ = 0;                           // for the clock that was told
  std::optional<TimePoint> newest_;                // start of a background batch
  TimePoint rises_since_{};
};

}  // namespace weft::schedule
