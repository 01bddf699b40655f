// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/period_fit.h"

#include <algorithm>
#include <cmath>

namespace weft::schedule {
namespace {

constexpr double kMostSpread = 0.08;  // of a period; times with a larger spread have no period
constexpr double kLeastKept = 0.75;   // smallest share of the times that are no outliers
constexpr double kFarOut = 3.5;       // an outlier, in medians of the distances
// Seconds; a smaller distance is never an outlier: it may be the resolution of the times.
constexpr double kNeverFar = 2e-4;

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<WeightedTime> kept(const PeriodFit& fit, std::span<const double> times) {
  std::vector<WeightedTime> points;
  for (size_t i = 0; i < times.size(); i++)
    if (fit.counts[i]) points.push_back({fit.turns[i], times[i], 1});
  return points;
}

bool take_line(PeriodFit& fit, std::span<const WeightedTime> points) {
  const std::optional<FittedLine> line = fit_line(points);
  if (!line.has_value()) return false;
  fit.phase = line->phase;
  fit.period = line->period;
  return true;
}

std::vector<double> distances(const PeriodFit& fit, std::span<const double> times) {
  std::vector<double> result;
  for (size_t i = 0; i < times.size(); i++) result.push_back(std::abs(times[i] - fit.at(fit.turns[i])));
  return result;
}

}  // namespace

std::optional<FittedLine> fit_line(std::span<const WeightedTime> points) {
  double weight = 0, turn = 0, time = 0;
  for (const WeightedTime& p : points) {
    weight += p.weight;
    turn += p.weight * p.turn;
    time += p.weight * p.time;
  }
  if (weight <= 0) return std::nullopt;
  turn /= weight;
  time /= weight;
  double across = 0, along = 0;
  for (const WeightedTime& p : points) {
    across += p.weight * (p.turn - turn) * (p.time - time);
    along += p.weight * (p.turn - turn) * (p.turn - turn);
  }
  if (along <= 0) return std::nullopt;
  const double period = across / along;
  return FittedLine{time - turn * period, period, along};
}

std::optional<PeriodFit> fit_period(std::span<const double> times, double least_period) {
  if (times.size() < 4) return std::nullopt;
  std::vector<double> steps;
  for (size_t i = 1; i < times.size(); i++) steps.push_back(times[i] - times[i - 1]);
  const double step = median(steps);
  if (step < least_period) return std::nullopt;
  PeriodFit fit;
  fit.counts.assign(times.size(), true);
  fit.turns.push_back(0);
  double from = times[0];  // time of the last counted turn: an outlier must not shift later times
  for (size_t i = 1; i < times.size(); i++) {
    const double turns = std::round((times[i] - from) / step);
    fit.turns.push_back(fit.turns.back() + turns);
    if (turns > 0) from = times[i];
  }
  if (!take_line(fit, kept(fit, times))) return std::nullopt;
  // Fits again without outliers, so that they do not affect the line.
  const std::vector<double> first = distances(fit, times);
  const double far = std::max(kNeverFar, kFarOut * median(first));
  for (size_t i = 0; i < times.size(); i++) fit.counts[i] = first[i] <= far;
  const auto left = kept(fit, times);
  if (double(left.size()) < kLeastKept * double(times.size())) return std::nullopt;
  if (!take_line(fit, left) || fit.period < least_period) return std::nullopt;
  const std::vector<double> second = distances(fit, times);
  fit.noise = median(second);
  for (size_t i = 0; i < times.size(); i++)
    if (fit.counts[i]) fit.spread = std::max(fit.spread, second[i]);
  if (fit.spread > kMostSpread * fit.period) return std::nullopt;
  return fit;
}

}  // namespace weft::schedule
