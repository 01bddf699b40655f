// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/batch_cost.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "server/schedule/durations.h"

namespace weft::schedule {
namespace {

constexpr double kForget = 0.85;  // weight of a measurement relative to the next one
// Below this spread of n (variance over squared mean), a slope is noise.
constexpr double kLeastSpread = 1e-3;
constexpr int kSettled = 4;             // number of batches before a batch can be an outlier
constexpr size_t kLeastErrors = 8;      // smallest number of errors for a margin
constexpr double kMarginCovers = 0.97;  // share of the batches
constexpr double kMostMargin = 1;

}  // namespace

void BatchCost::learn(int units, Duration time) {
  const double n = units;
  double t = std::max(seconds_of(time), 1e-9);
  if (const double expected = seconds_of(predict(units)); expected > 0) {
    const auto error = float((t - expected) / expected);
    if (errors_.size() < kErrorsKept) {
      errors_.push_back(error);
    } else {
      errors_[size_t(measured_) % kErrorsKept] = error;
    }
    measure_margin();
    if (measured_ >= kSettled) t = std::min(t, kMostSurprise * expected);
    if (measured_ < kSettled && t < expected / 2) weight_ = n_ = nn_ = t_ = nt_ = 0;
  }
  measured_++;
  weight_ = weight_ * kForget + 1;
  n_ = n_ * kForget + n;
  nn_ = nn_ * kForget + n * n;
  t_ = t_ * kForget + t;
  nt_ = nt_ * kForget + n * t;
  largest_seen_ = std::max(largest_seen_, units);
}

BatchCost::Line BatchCost::line() const {
  const double spread = weight_ * nn_ - n_ * n_;
  if (spread < kLeastSpread * n_ * n_) return {0, t_ / n_};
  const double slope = (weight_ * nt_ - n_ * t_) / spread;
  const double start = (t_ - slope * n_) / weight_;
  if (slope <= 0) return {t_ / weight_, 0};
  if (start < 0) return {0, nt_ / nn_};
  return {start, slope};
}

Duration BatchCost::predict(int units) const {
  if (!known()) return Duration(0);
  const Line cost = line();
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(cost.per_batch + cost.per_unit * units));
}

int BatchCost::largest_within(Duration time, int limit) const {
  if (!known()) return 1;
  const int64_t most = std::max<int64_t>(1, std::min<int64_t>(limit, int64_t{2} * largest_seen_));
  const Line cost = line();
  if (cost.per_unit <= 0) return int(cost.per_batch <= seconds_of(time) ? most : 1);
  // The small term prevents 20 ms / 4 ms from being rounded down to 4.
  const double fits = std::floor((seconds_of(time) - cost.per_batch) / cost.per_unit + 1e-6);
  return int(std::clamp(fits, 1.0, double(most)));
}

void BatchCost::measure_margin() {
  if (errors_.size() < kLeastErrors) return;
  std::array<float, kErrorsKept> errors{};
  std::copy(errors_.begin(), errors_.end(), errors.begin());
  const auto at = errors.begin() + ptrdiff_t(kMarginCovers * double(errors_.size() - 1));
  std::nth_element(errors.begin(), at, errors.begin() + ptrdiff_t(errors_.size()));
  margin_ = std::clamp(double(*at), 0.0, kMostMargin);
}

}  // namespace weft::schedule
