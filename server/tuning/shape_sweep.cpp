// SPDX-License-Identifier: Apache-2.0
#include "server/tuning/shape_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace weft::tuning {
namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double fastest_of(const std::vector<double>& values) { return *std::ranges::min_element(values); }

}  // namespace

double sign_test(int k, int n) {
  double sum = 0;
  for (int i = std::max(k, 0); i <= n; i++)
    sum +=
        std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) - n * std::log(2.0));
  return std::min(sum, 1.0);
}

ShapeSweep::ShapeSweep(int shapes, SweepRules rules) : rules_(rules), shapes_(size_t(std::max(shapes, 1))) {}

bool ShapeSweep::is_done() const {
  if (!shapes_[0].fault.empty() || rounds_ >= rules_.most_rounds || spent_ >= rules_.most_seconds)
    return true;
  const auto left = [this](const Shape& shape) { return is_left(shape); };
  return std::ranges::count_if(shapes_, left) <= 1;
}

std::vector<int> ShapeSweep::round() const {
  std::vector<int> order;
  if (is_done()) return order;
  for (size_t i = 0; i < shapes_.size(); i++)
    if (is_left(shapes_[i])) order.push_back(int(i));
  std::ranges::rotate(order, order.begin() + rounds_ % std::ptrdiff_t(order.size()));
  return order;
}

void ShapeSweep::add(int shape, double seconds) {
  constexpr double kShortest = 1e-9;  // resolution of a timestamp
  shapes_[size_t(shape)].seconds.push_back(std::max(seconds, kShortest));
  spent_ += std::max(seconds, 0.0);
}

void ShapeSweep::fail(int shape, std::string why) {
  shapes_[size_t(shape)].fault = why.empty() ? "It failed." : std::move(why);
}

void ShapeSweep::end_round() {
  rounds_++;
  // A shape without a run has no pair in this round.
  for (Shape& shape : shapes_)
    if (is_left(shape) && int(shape.seconds.size()) != rounds_) shape.fault = "A run of it is missing.";
  if (rounds_ >= rules_.probe_rounds) drop_slow_ones();
}

void ShapeSweep::drop_slow_ones() {
  const auto best = std::ranges::min_element(shapes_, {}, [this](const Shape& shape) {
    return is_left(shape) ? fastest_of(shape.seconds) : std::numeric_limits<double>::max();
  });
  if (!is_left(*best)) return;
  const auto noise_of = [this](const Shape& shape) {
    return rules_.noise_factor * (median_of(shape.seconds) / fastest_of(shape.seconds) - 1);
  };
  const double fastest = fastest_of(best->seconds) * (1 + std::max(rules_.least_margin, noise_of(*best)));
  const double wanted = fastest_of(shapes_[0].seconds) * (1 - rules_.least_gain) *
                        (1 + std::max({rules_.least_doubt, noise_of(*best), noise_of(shapes_[0])}));
  for (size_t i = 1; i < shapes_.size(); i++)
    if (is_left(shapes_[i]) && fastest_of(shapes_[i].seconds) > std::min(fastest, wanted))
      shapes_[i].is_dropped = true;
}

int ShapeSweep::candidate() const {
  int best = 0;
  for (size_t i = 1; i < shapes_.size(); i++)
    if (is_left(shapes_[i]) && !shapes_[i].seconds.empty() &&
        median_of(shapes_[i].seconds) < median_of(shapes_[size_t(best)].seconds))
      best = int(i);
  return best;
}

double ShapeSweep::confidence_of(int shape) const {
  const std::vector<double>& mine = shapes_[size_t(shape)].seconds;
  const std::vector<double>& others = shapes_[0].seconds;
  int wins = 0, pairs = 0;
  for (size_t i = 0; i < std::min(mine.size(), others.size()); i++) {
    if (mine[i] == others[i]) continue;
    pairs++;
    if (mine[i] < others[i]) wins++;
  }
  const double picked_of = double(shapes_.size() - 1);
  return pairs == 0 ? 0 : std::max(0.0, 1 - picked_of * sign_test(wins, pairs));
}

SweepResult ShapeSweep::result() const {
  SweepResult result;
  result.default_seconds = result.worst_seconds = median_of(shapes_[0].seconds);
  for (size_t i = 1; i < shapes_.size(); i++) {
    if (shapes_[i].seconds.empty() || !shapes_[i].fault.empty()) continue;
    const double median = median_of(shapes_[i].seconds);
    if (median <= result.worst_seconds) continue;
    result.worst = int(i);
    result.worst_seconds = median;
  }
  const int best = shapes_[0].fault.empty() ? candidate() : 0;
  if (best != 0) {
    result.confidence = confidence_of(best);
    const double gain = 1 - median_of(shapes_[size_t(best)].seconds) / result.default_seconds;
    if (result.confidence >= rules_.confidence && gain >= rules_.least_gain) {
      result.chosen = best;
      result.gain = gain;
    }
  }
  result.seconds = median_of(shapes_[size_t(result.chosen)].seconds);
  result.runs = int(shapes_[size_t(result.chosen)].seconds.size());
  return result;
}

double ShapeSweep::median(int shape) const { return median_of(shapes_[size_t(shape)].seconds); }

std::string ShapeSweep::reason(const std::vector<std::string>& names) const {
  if (!shapes_[0].fault.empty()) return fmt::format("The default fails: {}", shapes_[0].fault);
  const SweepResult found = result();
  const auto failed = std::ranges::count_if(shapes_, [](const Shape& shape) { return !shape.fault.empty(); });
  std::string also;
  for (size_t i = 0; i < shapes_.size() && failed > 0; i++)
    if (!shapes_[i].fault.empty()) also += fmt::format(" {} is left out: {}", names[i], shapes_[i].fault);
  if (found.chosen != 0)
    return fmt::format("{} is {:.1f}% faster than {} (confidence {:.3f}, {} pairs of runs).{}",
                       names[size_t(found.chosen)], 100 * found.gain, names[0], found.confidence, found.runs,
                       also);
  const int best = candidate();
  if (best == 0) return fmt::format("No other shape is {:g}% faster.{}", 100 * rules_.least_gain, also);
  const double gain = 1 - median_of(shapes_[size_t(best)].seconds) / found.default_seconds;
  return fmt::format(
      "{} comes nearest: {:.1f}% faster (confidence {:.3f}); at least {:g}% with {:g} are asked for.{}",
      names[size_t(best)], 100 * gain, found.confidence, 100 * rules_.least_gain, rules_.confidence, also);
}

}  // namespace weft::tuning
