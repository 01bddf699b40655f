// SPDX-License-Identifier: Apache-2.0
// Adds up what each period's device time went to, and says what the next may spend on background.
#pragma once

#include <deque>

#include "base/clock.h"
#include "server/schedule/decision.h"

namespace weft::schedule {

class PeriodMeter {
 public:
  static constexpr size_t kKept = 1024;       // measures of periods that ended
  static constexpr double kAverageOver = 16;  // periods that the average of the spare time looks back on

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

  void add_busy(WorkClass work_class, Duration time);
  void add_granted(Duration time);
  void add_frame(bool missed);

  // share * min(average(spare), spare of the last period); share * length while no period was measured.
  Duration budget() const;
  Duration budget_left() const;  // less what was granted in this period; may be below zero
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
  double average_spare_ns_ = 0;
  Duration last_spare_{0};
  bool started_ = false, measured_ = false;
};

}  // namespace weft::schedule
