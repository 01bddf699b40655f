// SPDX-License-Identifier: Apache-2.0
// Accounts for the device time of each period and the budget of background work.
//
// Each ended period adds `share` of its spare time to the budget. Unspent budget is retained up to
// the length of kCarried periods: with random arrivals, background work in an empty period can use
// the budget that it could not spend in a full one.
#pragma once

#include <deque>

#include "base/clock.h"
#include "server/schedule/decision.h"

namespace weft::schedule {

class PeriodMeter {
 public:
  static constexpr size_t kKept = 1024;  // number of measures of ended periods
  static constexpr int kCarried = 8;     // maximum budget in periods

  // Closes all periods that have ended by `now`. Calls `count_busy(end)` before it closes a period,
  // to add the busy time until the period's end.
  template <class CountBusy>
  void move_to(TimePoint now, CountBusy&& count_busy) {
    if (!started_) start(now);
    if (now >= period_end()) {
      count_busy(period_end());
      close();
      skip_pause(now);
    }
    while (now >= period_end()) {
      count_busy(period_end());
      close();
    }
  }

  // Sets the length of a period, above zero. A shorter length applies at once, a longer one from
  // the next period.
  void set_length(Duration length);
  void set_external_load(double load) { external_load_ = load; }
  void set_share(double share) { share_ = share; }

  void add_busy(SourceClass work_class, Duration time);
  // Adds the predicted cost of a background batch that starts.
  void add_granted(Duration time);
  void spend(Duration time) { budget_ -= time; }  // uses budget for a batch that the budget limits
  void add_frame(bool missed);

  Duration budget() const { return budget_; }  // remaining budget; may be negative
  Duration last_spare() const { return last_spare_; }
  TimePoint period_end() const { return current_.start + current_.length; }
  const PeriodMeasure& current() const { return current_; }
  const DeviceTotals& totals() const { return totals_; }
  const std::deque<PeriodMeasure>& history() const { return history_; }  // oldest first

 private:
  void start(TimePoint now);
  void close();
  void skip_pause(TimePoint now);

  PeriodMeasure current_;
  DeviceTotals totals_;
  std::deque<PeriodMeasure> history_;
  Duration next_length_ = kIdlePeriod;
  double external_load_ = 0, share_ = 1;
  Duration last_spare_{0}, budget_{0};
  bool started_ = false;
};

}  // namespace weft::schedule
