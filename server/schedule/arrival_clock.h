// SPDX-License-Identifier: Apache-2.0
// When a stream's next frame comes: phase and drift, learnt from its arrivals against the period it states.
//
// Arrival k is taken as phase + k * period + jitter. Phase and period are the least-squares line through the newest
// kWindow arrivals, less those that lie off it (a late packet); several of those in a row are a jump, and the line is
// learnt anew behind it. The median deviation from the line says how wide the jitter is. Where it is wide (a sender that
// wakes every 10 ms) the clock is loose: it says until when no frame comes, but waiting for one that is due would leave most of the
// time unused. A stream whose arrivals lie all over the period (Poisson, a burst a second) has no clock, and is said to have none.
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
  static constexpr size_t kLeastArrivals = 8;  // before the line is believed
  static constexpr int kSilentAfter = 8;       // periods without a frame until none is expected any more

  // `first_frame`: the stream's own clock; then the line is believed at once.
  explicit ArrivalClock(Duration period, std::optional<TimePoint> first_frame = {});

  void arrived(TimePoint time);

  // The phase is known and the arrivals keep to it, or keep to it loosely.
  bool is_periodic() const { return regularity() == Regularity::kPeriodic; }
  bool is_loose() const { return regularity() == Regularity::kLoose; }
  Duration period() const { return Duration(int64_t(period_)); }  // as learnt
  // How far around its predicted time a frame may come: before, after.
  Duration early() const;
  Duration late() const;

  struct Expectation {
    enum class Kind {
      kUnknown,  // no clock, or a loose one whose frame is due: one may come at any time
      kAt,       // a frame may come from `from` on, not before
      kDue,      // it may come at any moment; if it has not come by `until`, it is missing
    };
    Kind kind = Kind::kUnknown;
    TimePoint from{};
    TimePoint until{};
    bool loose = false;    // the clock is
    bool missing = false;  // the frame before the expected one did not come
    bool silent = false;   // none came for so long that the next one is an event, not one of many
  };
  Expectation expect(TimePoint now) const;

 private:
  struct Arrival {
    int64_t index;
    double time;  // ns after origin_
  };
  struct Deviation {
    double time;  // ns from the line as it was known then
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
  std::deque<Arrival> arrivals_;      // that the line is fitted to
  std::deque<Deviation> deviations_;  // of the newest arrivals, strays too
  bool skipped_ = false;              // by the newest arrival: no frame came in the slot before it
  int strays_ = 0;                    // arrivals in a row that lay off the line
  double spread_ = 0;                 // of the deviations: 1.48 times their median
  double most_early_ = 0, most_late_ = 0;
  bool has_clock_ = false;                 // the stream's own, or learnt
  bool wide_ = false, scattered_ = false;  // the deviations
};

}  // namespace weft::schedule
