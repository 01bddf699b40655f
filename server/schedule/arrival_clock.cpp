// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/arrival_clock.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::schedule {
namespace {

// Shares of the period, except where another reference is given.
constexpr double kLoose = 0.12;     // a clock with a wider spread of deviations is loose
constexpr double kScattered = 0.3;  // a wider spread is no clock (0.37 if arrivals are uniform)
constexpr double kGathered = 0.7;   // of kLoose: below it, a loose clock is close again
// Share of kScattered: below it, a stream without a clock has a loose one again.
constexpr double kLessScattered = 0.87;
// The frames of a loose clock are early by at most the observed deviation, multiplied by kRarer +
// kFew / number of observations, and late by at most kRarer times it.
constexpr double kRarer = 1.1;
constexpr double kFew = 3;
constexpr double kStray = 0.1;       // an arrival this far from the fit may be an outlier
constexpr double kMostDrift = 0.02;  // difference of the estimated period from the stated one
constexpr double kLeastLate = 0.01;  // shortest wait for a late frame
constexpr double kUnmeasuredLate = 0.05;
// Ratio of the standard deviation to the median deviation in a normal distribution.
constexpr double kToDeviation = 1.4826;
constexpr int kJump = 8;  // consecutive outliers that are a jump

double ns_of(Duration time) { return double(time.count()); }
Duration to_duration(double ns) { return Duration(int64_t(ns)); }

}  // namespace

ArrivalClock::ArrivalClock(Duration period, std::optional<TimePoint> first_frame)
    : stated_(std::max(ns_of(period), 1.0)), period_(stated_) {
  if (!first_frame.has_value()) return;
  origin_ = *first_frame;
  has_clock_ = true;
}

int64_t ArrivalClock::slot_of(double time) const { return std::llround((time - phase_) / period_); }

void ArrivalClock::arrived(TimePoint time) {
  if (!has_clock_ && arrivals_.empty() && deviations_.empty()) origin_ = time;
  last_arrival_ = time;
  const double x = ns_of(time - origin_);
  if (arrivals_.empty() && !has_clock_) {
    phase_ = x;
    last_index_ = -1;
  }
  const int64_t slot = slot_of(x);
  if (skipped_ && slot <= last_index_) take_back();
  const int64_t index = std::max(last_index_ + 1, slot);
  skipped_ = last_index_ >= 0 && index > last_index_ + 1;
  const double off = x - predicted(index);
  const double limit = std::max(6 * spread_, kStray * stated_);
  const bool stray = std::abs(off) > limit;
  deviations_.push_back({off, stray});
  if (deviations_.size() > kWindow) deviations_.pop_front();
  measure_spread();
  strays_ = stray ? strays_ + 1 : 0;
  if (strays_ >= kJump) {
    arrivals_.clear();
    has_clock_ = false;
    strays_ = 0;
    phase_ = x;
    last_index_ = 0;
    arrivals_.push_back({0, x});
    return;
  }
  last_index_ = index;
  if (stray) return;
  arrivals_.push_back({index, x});
  if (arrivals_.size() > kWindow) arrivals_.pop_front();
  fit();
}

// Moves the newest arrival to the slot before it: the arrival was the missing frame, more than half
// a period late, and the frame after that frame has now arrived.
void ArrivalClock::take_back() {
  if (!arrivals_.empty() && arrivals_.back().index == last_index_) arrivals_.back().index--;
  deviations_.back().time += period_;
  last_index_--;
}

// Fits a line through (index, time) by least squares, relative to the mean to preserve precision.
void ArrivalClock::fit() {
  const double n = double(arrivals_.size());
  double mean_index = 0, mean_time = 0;
  for (const Arrival& a : arrivals_) {
    mean_index += double(a.index);
    mean_time += a.time;
  }
  mean_index /= n;
  mean_time /= n;
  if (arrivals_.size() >= kLeastArrivals) {
    double across = 0, along = 0;
    for (const Arrival& a : arrivals_) {
      const double i = double(a.index) - mean_index;
      across += i * (a.time - mean_time);
      along += i * i;
    }
    if (along > 0)
      period_ = std::clamp(across / along, stated_ * (1 - kMostDrift), stated_ * (1 + kMostDrift));
  }
  // A stream's own clock is corrected once there are enough arrivals.
  if (!has_clock_ || arrivals_.size() >= kLeastArrivals) phase_ = mean_time - mean_index * period_;
}

void ArrivalClock::measure_spread() {
  std::vector<double> sizes;
  sizes.reserve(deviations_.size());
  most_early_ = most_late_ = 0;
  for (const Deviation& d : deviations_) {
    sizes.push_back(std::abs(d.time));
    if (d.stray) continue;
    most_early_ = std::max(most_early_, -d.time);
    most_late_ = std::max(most_late_, d.time);
  }
  const auto middle = sizes.begin() + ptrdiff_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  spread_ = kToDeviation * *middle;
  if (sizes.size() < kLeastArrivals) return;
  scattered_ = spread_ > (scattered_ ? kLessScattered : 1) * kScattered * stated_;
  wide_ = spread_ > (wide_ ? kGathered : 1) * kLoose * stated_;
}

ArrivalClock::Regularity ArrivalClock::regularity() const {
  if (!has_clock_ && arrivals_.size() < kLeastArrivals) return Regularity::kNone;
  if (!wide_) return Regularity::kPeriodic;
  return scattered_ ? Regularity::kNone : Regularity::kLoose;
}

Duration ArrivalClock::early() const {
  const double rarer = kRarer + kFew / double(std::max<size_t>(deviations_.size(), 1));
  return to_duration(is_loose() ? rarer * most_early_ : std::max(most_early_, 2 * spread_));
}

Duration ArrivalClock::late() const {
  if (is_loose()) return to_duration(kRarer * most_late_);
  const double least = (deviations_.empty() ? kUnmeasuredLate : kLeastLate) * stated_;
  return to_duration(std::max({most_late_ + spread_, 3 * spread_, least}));
}

ArrivalClock::Expectation ArrivalClock::expect(TimePoint now) const {
  Expectation result;
  result.silent = !last_arrival_.has_value() || ns_of(now - *last_arrival_) > kSilentAfter * stated_;
  if (regularity() == Regularity::kNone) return result;
  const double x = ns_of(now - origin_);
  const double late_ns = ns_of(late());
  int64_t index = last_index_ + 1;
  if (x > predicted(index) + late_ns) {
    index = std::max(index, int64_t(std::ceil((x - late_ns - phase_) / period_)));
    result.missing = true;
  }
  if (index - last_index_ > kSilentAfter) return result;
  result.from = origin_ + to_duration(predicted(index)) - early();
  result.until = origin_ + to_duration(predicted(index) + late_ns);
  // The newest arrival may have been the missing frame, which was late. The next frame is then due
  // sooner.
  if (skipped_) result.missing = true;
  result.loose = is_loose();
  const auto due = result.loose ? Expectation::Kind::kUnknown : Expectation::Kind::kDue;
  result.kind = now < result.from ? Expectation::Kind::kAt : due;
  return result;
}

}  // namespace weft::schedule
