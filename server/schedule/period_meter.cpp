// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/period_meter.h"

#include <algorithm>

#include "server/schedule/durations.h"

namespace weft::schedule {
namespace {

// A larger number of idle periods is counted without iteration.
constexpr int64_t kLongPause = 64;

}  // namespace

void PeriodMeter::start(TimePoint now) {
  if (!started_) budget_ = part_of(next_length_, share_);
  started_ = true;
  current_ = PeriodMeasure();
  current_.start = now;
  current_.length = next_length_;
  current_.budget = budget_;
}

void PeriodMeter::close() {
  current_.external_load = part_of(current_.length, external_load_);
  const Duration taken = current_.busy[size_t(SourceClass::kRealtime)] + current_.external_load;
  current_.spare = std::clamp(current_.length - taken, Duration(0), current_.length);
  last_spare_ = current_.spare;
  budget_ = std::min(budget_ + part_of(current_.spare, share_), kCarried * current_.length);
  totals_.periods++;
  for (size_t i = 0; i < size_t(kWorkClasses); i++) totals_.busy[i] += current_.busy[i];
  totals_.external_load += current_.external_load;
  totals_.spare += current_.spare;
  totals_.budget += part_of(current_.spare, share_);
  totals_.granted += current_.granted;
  history_.push_back(current_);
  if (history_.size() > kKept) history_.pop_front();
  start(current_.start + current_.length);
}

void PeriodMeter::skip_pause(TimePoint now) {
  const int64_t whole = (now - current_.start) / current_.length;
  if (whole <= kLongPause) return;
  const int64_t skipped = whole - kLongPause;
  totals_.periods += skipped;
  totals_.external_load += skipped * part_of(current_.length, external_load_);
  totals_.spare += skipped * part_of(current_.length, 1 - external_load_);
  totals_.budget += skipped * part_of(current_.length, (1 - external_load_) * share_);
  current_.start += skipped * current_.length;
}

void PeriodMeter::set_length(Duration length) {
  if (length <= Duration(0)) return;
  next_length_ = length;
  if (length < current_.length) current_.length = length;
}

void PeriodMeter::add_busy(SourceClass work_class, Duration time) {
  current_.busy[size_t(work_class)] += time;
}

void PeriodMeter::add_granted(Duration time) {
  current_.granted += time;
  totals_.batches++;
}

void PeriodMeter::add_frame(bool missed) {
  totals_.frames++;
  totals_.misses += missed ? 1 : 0;
  current_.misses += missed ? 1 : 0;
}

}  // namespace weft::schedule
