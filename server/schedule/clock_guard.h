// SPDX-License-Identifier: Apache-2.0
// A board at the limit of its power or heat lowers its clock, and then streams' frames take longer although nothing is in
// their way. So a part of the gaps is left idle, that the clock stays up: as much as it takes for frames to lose no more
// than kTolerated of a period by it, and kMost at most. The part is set by an integral controller: each reading changes it in
// proportion to how far the clock is below what is tolerated.
//
// A board that is suddenly busy takes a second to notice that it draws too much, and then lowers its clock by far more than it has
// to (from 1980 to 1635 MHz on an H200, for a quarter of a second). So after a pause the background comes back over kRise, where
// frames would lose more than tolerated by that.
//
// What was told more than kOld ago counts for nothing.
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
  static constexpr double kMost = 0.05;        // of a gap
  static constexpr double kTolerated = 0.004;  // of a period
  static constexpr double kGain = 0.2;         // of the part, by what frames take longer
  static constexpr double kLargestStep = 0.005;
  static constexpr double kAtFirst = 0.3;  // of a gap, after a pause
  static constexpr double kDrop = 0.2;     // that frames take longer when a board is suddenly busy
  static constexpr Duration kPause = std::chrono::seconds(1), kRise = std::chrono::seconds(2);
  static constexpr Duration kOld = std::chrono::seconds(5);

  // `load`: of REALTIME streams that keep to a clock, as a part of the device's time.
  void tell(const DeviceClock& clock, double load, TimePoint now) {
    if (!(clock.megahertz > 0)) return;
    told_ = now;
    load_ = load;
    double& seen = clock.is_limited ? highest_limited_ : highest_free_;
    seen = std::max(seen, clock.megahertz);
    const double longer = clock.is_limited ? full(clock) / clock.megahertz - 1 : 0;
    const double over = load > 0 ? longer - kTolerated / load : -1;
    const double step = std::clamp(kGain * over, -kLargestStep, kLargestStep);
    held_back_ = std::clamp(held_back_ + step, 0.0, kMost);
  }
  void background_started(TimePoint now) {
    if (is_after_pause(now)) rises_since_ = now;
    ran_at_ = now;
  }
  void background_ended(TimePoint now) { ran_at_ = now; }
  // The part of a gap that is to be left idle, 0 to 1.
  double held_back(TimePoint now) const {
    if (!is_told(now) || load_ * kDrop <= kTolerated) return held_back_for_long(now);
    const double risen = is_after_pause(now) ? 0 : seconds_of(now - rises_since_) / seconds_of(kRise);
    return std::max(held_back_, kAtFirst * (1 - risen));
  }
  // The same without what a pause before adds.
  double held_back_for_long(TimePoint now) const { return is_told(now) ? held_back_ : 0; }

 private:
  static constexpr double kBusy = 0.9;  // of the highest clock: an idle device's is lower

  bool is_told(TimePoint now) const { return told_.has_value() && now - *told_ <= kOld; }
  bool is_after_pause(TimePoint now) const { return !ran_at_.has_value() || now - *ran_at_ > kPause; }
  // What it would be: as high as it was when nothing limited it, if it was ever busy then.
  double full(const DeviceClock& clock) const {
    const double seen = std::max(highest_free_, highest_limited_);
    return highest_free_ >= kBusy * highest_limited_ ? seen : std::max(clock.highest, seen);
  }

  std::optional<TimePoint> told_;
  double load_ = 0;
  double highest_free_ = 0, highest_limited_ = 0;  // MHz, that were told
  double held_back_ = 0;                           // for the clock that was told
  std::optional<TimePoint> ran_at_;                // when a background batch started or ended last
  TimePoint rises_since_{};
};

}  // namespace weft::schedule
