// SPDX-License-Identifier: Apache-2.0
// Adds up what each period's device time went to, and what background may spend of what was left over.
//
// The budget: every period that ends earns `share` of its spare time. What is not spent is kept, up to the length of
// kCarried periods: where frames come at random an empty period follows a full one, and is used as well.
#pragma once

#include <deque>

#include "base/clock.h"
#include "server/schedule/decision.h"

namespace weft::schedule {

class PeriodMeter {
 public:
  static constexpr size_t kKept = 1024;  // measures of periods that ended
  static constexpr int kCarried = 8;     // periods' length that the budget holds at most

  // Ends the current period if it is over, and every one that passed unnoticed. `count_busy(end)` is called before each
  // is closed, to add what was busy until then.
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

  // A shorter one holds at once, a longer one from the next period on. Above zero.
  void set_length(Duration length);
  void set_foreign_load(double load) { foreign_load_ = load; }
  void set_share(double share) { share_ = share; }

  void add_busy(SourceClass work_class, Duration time);
  void add_granted(Duration time);                // a background batch starts, of so much by prediction
  void spend(Duration time) { budget_ -= time; }  // of the budget, which it keeps to
  void add_frame(bool missed);

  Duration budget() const { return budget_; }  // that is left; may be below zero
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
  double foreign_load_ = 0, share_ = 1;
  Duration last_spare_{0}, budget_{0};
  bool started_ = false;
};

}  // namespace weft::schedule
