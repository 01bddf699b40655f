// SPDX-License-Identifier: Apache-2.0
// Predicts the arrival of a stream's next frame from the earlier arrivals and the stated period.
//
// Arrival k is modelled as phase + k * period + jitter. Phase and period are a least-squares fit to
// the newest kWindow arrivals without outliers (late packets). kJump outliers in a row are a jump:
// a new fit begins. The median deviation from the fit measures the jitter. With wide jitter (a
// sender that wakes every 10 ms), the clock is loose: it gives a bound for the earliest arrival,
// but a device that waited for each due frame would be idle most of the time. A stream with
// arrivals spread over the whole period (Poisson, a burst per second) has no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/clock.h"

namespace weft::schedule {

class ArrivalClock {
 public:
  static constexpr size_t kWindow = 64;
  static constexpr size_t kLeastArrivals = 8;  // number of arrivals from which the fit is used
  // Periods without a frame after which a stream is silent.
  static constexpr int kSilentAfter = 8;

  // `first_frame` is the time of frame 0 in the stream's own clock; with it, the fit is valid at
  // once.
  explicit ArrivalClock(Duration period, std::optional<TimePoint> first_frame = {});

  void arrived(TimePoint time);

  // `is_periodic` returns whether the phase is known and the arrivals follow it closely;
  // `is_loose`, whether they follow it loosely.
  bool is_periodic() const { return regularity() == Regularity::kPeriodic; }
  bool is_loose() const { return regularity() == Regularity::kLoose; }
  Duration period() const { return Duration(int64_t(period_)); }  // estimated period
  // Return the largest expected distance of a frame from its predicted time, before and after it.
  Duration early() const;
  Duration late() const;

  struct Expectation {
    enum class Kind {
      kUnknown,  // no clock, or a loose clock with a due frame: a frame may arrive at any time
      kAt,       // a frame may arrive at `from` or later
      kDue,      // a frame may arrive at any moment; it is missing if it has not arrived by `until`
    };
    Kind kind = Kind::kUnknown;
    TimePoint from{};
    TimePoint until{};
    bool loose = false;    // the clock is loose
    bool missing = false;  // the frame before the expected one did not arrive
    // No frame arrived for kSilentAfter periods; the next frame is a single event.
    bool silent = false;
  };
  Expectation expect(TimePoint now) const;

 private:
  struct Arrival {
    int64_t index;
    double time;  // ns after origin_
  };
  struct Deviation {
    double time;  // ns between the arrival and the fit at that time
    bool stray;
  };
  enum class Regularity { kPeriodic, kLoose, kNone };
  Regularity regularity() const;
  double predicted(int64_t index) const { return phase_ + double(index) * period_; }
  int64_t slot_of(double time) const;
  void take_back();
  void fit();
  void measure_spread();

  double stated_ = 0, period_ = 0, phase_ = 0;  // ns
  TimePoint origin_{};
  std::optional<TimePoint> last_arrival_;
  int64_t last_index_ = -1;
  std::deque<Arrival> arrivals_;      // arrivals that the fit uses
  std::deque<Deviation> deviations_;  // deviations of the newest arrivals, outliers included
  bool skipped_ = false;              // no frame arrived one period before the newest arrival
  int strays_ = 0;                    // consecutive outliers
  double spread_ = 0;                 // 1.48 times the median deviation
  double most_early_ = 0, most_late_ = 0;
  // The stream stated its first frame's time, and no jump followed.
  bool has_clock_ = false;
  // Deviations too wide for a close clock, or for any clock.
  bool wide_ = false, scattered_ = false;
};

}  // namespace weft::schedule
