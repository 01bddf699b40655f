// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/frame_line.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace weft::schedule {
namespace {

// Constants in seconds, where they have a unit.
constexpr double kLeastNoise = 20e-6;  // lower bound for the noise of observed starts
// Several starts this far from the line on one side are a bend of the line.
constexpr double kOffLine = 40e-6;
constexpr size_t kStartsKept = 16;
constexpr size_t kStartsOfABend = 5;  // number of starts retained after a jump or a bend
constexpr double kHalfAge = 4;        // number of watches after which a start has half the weight

}  // namespace

void FrameLine::begin(const PeriodFit& fit, std::span<const double> times, int every) {
  starts_.clear();
  for (size_t i = 0; i < times.size(); i++)
    if (fit.counts[i]) starts_.push_back({fit.turns[i], times[i]});
  phase_ = fit.phase;
  period_ = fit.period;
  noise_ = fit.noise;
  one_sided_ = 0;
  refit(every);
}

FrameLine::SeenStart FrameLine::add(double frame, double start, int every) {
  SeenStart seen;
  seen.off = start - start_of(frame);
  seen.usual = std::max(kOffLine, 2 * noise_);
  const int side = seen.off > seen.usual ? 1 : seen.off < -seen.usual ? -1 : 0;
  one_sided_ = side == 0 ? 0 : one_sided_ * side > 0 ? one_sided_ + side : side;
  starts_.push_back({frame, start});
  while (starts_.size() > kStartsKept) starts_.pop_front();
  seen.jumped = std::abs(seen.off) > 2 * std::max(spread_, seen.usual);
  const bool bends = std::abs(one_sided_) >= 3;
  if (seen.jumped || bends) {  // older starts would distort the fit
    while (starts_.size() > kStartsOfABend) starts_.pop_front();
    one_sided_ = 0;
  }
  refit(every);
  if (bends) phase_ += 0.5 * (start - start_of(frame));
  return seen;
}

double FrameLine::frame_begun_at(double time) const { return std::floor((time - phase_) / period_); }

double FrameLine::frames_known() const {
  return std::min(1e6, std::max(kOffLine, noise_) / std::max(period_error_, 1e-12));
}

void FrameLine::refit(int every) {
  std::vector<WeightedTime> points;
  for (const Start& start : starts_) {
    const double age = (starts_.back().frame - start.frame) / every;
    points.push_back({start.frame, start.time, std::exp2(-age / kHalfAge)});
  }
  const std::optional<FittedLine> line = fit_line(points);
  if (!line.has_value()) return;
  // The standard deviation of the slope; 1.5 times the median distance estimates that of a start.
  period_error_ = 1.5 * std::max(noise_, kLeastNoise) / std::sqrt(line->turns_spread);
  // Starts that are close to each other do not determine the period.
  if (std::abs(line->period - period_) > 0.02 * period_) return;
  phase_ = line->phase;
  period_ = line->period;
  spread_ = 1.8 * noise_;
  for (const WeightedTime& p : points)
    if (p.weight > 0.1) spread_ = std::max(spread_, std::abs(p.time - start_of(p.turn)));
  spread_ = std::min(spread_, 0.15 * period_);
}

}  // namespace weft::schedule
