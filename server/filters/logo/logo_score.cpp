// SPDX-License-Identifier: Apache-2.0
#include "server/filters/logo/logo_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::filters::logo {
namespace {

constexpr double kScale = 255;
constexpr double kLevelStep = kScale + 1;   // divided by LOGO_LEVELS
constexpr int kVarianceLevel = 16;          // brightness at which variances are compared
constexpr int kWholeLevel = 2;              // brightness at which the score is 1
constexpr double kCappedShare = 0.2;        // correlations below this share of the mean score less
constexpr int kBorder = LOGO_WINDOW / 2;    // of points to the edge of the rectangle
constexpr double kLeastCorrelation = 1e-3;  // below it a brightness shows no logo

using Samples = std::vector<double>;

// Returns rows of coefficients, smoothed by 1 2 1 except for the first and the last one.
std::vector<float> rows_of(const std::vector<float>& values, int width, int first, int step, int rows,
                           bool smooths) {
  std::vector<float> result;
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < width; x++) {
      const auto at = [&](int row) { return double(values[size_t((first + row * step) * width + x)]); };
      const bool is_inner = smooths && y > 0 && y < rows - 1;
      result.push_back(float(is_inner ? (at(y - 1) + 2 * at(y) + at(y + 1)) / 4 : at(y)));
    }
  return result;
}

// Returns the sample `tap` of the window at `corner`.
double tap_of(const Samples& picture, int width, int corner, int tap) {
  return picture[size_t(corner + tap / LOGO_WINDOW * width + tap % LOGO_WINDOW)];
}

double mean_of(const Samples& picture, int width, int corner) {
  double sum = 0;
  for (int tap = 0; tap < LOGO_TAPS; tap++) sum += tap_of(picture, width, corner, tap);
  return sum / LOGO_TAPS;
}

double variance_of(const Samples& picture, int width, int corner) {
  const double mean = mean_of(picture, width, corner);
  double sum = 0;
  for (int tap = 0; tap < LOGO_TAPS; tap++) {
    const double difference = tap_of(picture, width, corner, tap) - mean;
    sum += difference * difference;
  }
  return sum;
}

double correlation_of(const ScorePoint& point, const Samples& picture, int width) {
  double sum = 0;
  for (int tap = 0; tap < LOGO_TAPS; tap++)
    sum += double(point.weights[size_t(tap)]) * tap_of(picture, width, point.corner, tap);
  return sum;
}

// Returns a flat picture with the logo added.
Samples picture_with(const LogoScore& score, int level) {
  Samples picture;
  for (size_t i = 0; i < score.a.size(); i++)
    picture.push_back((level * kLevelStep / LOGO_LEVELS - double(score.b[i])) / (1 + double(score.a[i])));
  return picture;
}

double points_score(const ScorePoint& point, double correlation, double mean) {
  const int level = int(std::clamp(std::floor(mean * LOGO_LEVELS / kScale), 0.0, LOGO_LEVELS - 1.0));
  return std::clamp(correlation * double(point.scales[size_t(level)]), -1.0, 1.0) *
         double(point.caps[size_t(level)]);
}

// Chooses the windows with the largest variance.
void choose_points(LogoScore& score, const Samples& picture, double share) {
  std::vector<std::pair<double, int>> found;  // variance with a minus sign, corner
  for (int y = 0; y + LOGO_WINDOW <= score.height; y++)
    for (int x = 0; x + LOGO_WINDOW <= score.width; x++) {
      const int corner = y * score.width + x;
      const double variance = variance_of(picture, score.width, corner);
      if (variance > kLeastCorrelation) found.emplace_back(-variance, corner);
    }
  std::ranges::sort(found);
  const auto most = size_t(std::ceil(share * score.width * score.height));
  found.resize(std::min(found.size(), most));
  for (const auto& [variance, corner] : found) score.points.push_back({.corner = corner});
}

// Sets weights, scales and caps. The sign of a cap is that of the correlation, so that the logo
// itself has a positive score on every brightness.
void complete_points(LogoScore& score, const std::vector<Samples>& pictures) {
  std::vector<std::array<double, LOGO_LEVELS>> correlations(score.points.size());
  double sum = 0;
  for (size_t i = 0; i < score.points.size(); i++) {
    ScorePoint& point = score.points[i];
    const double mean = mean_of(pictures[0], score.width, point.corner);
    for (int tap = 0; tap < LOGO_TAPS; tap++)
      point.weights[size_t(tap)] = float(tap_of(pictures[0], score.width, point.corner, tap) - mean);
    for (size_t level = 0; level < LOGO_LEVELS; level++) {
      correlations[i][level] = correlation_of(point, pictures[level], score.width);
      sum += std::abs(correlations[i][level]);
    }
  }
  const double capped = kCappedShare * sum / (double(score.points.size()) * LOGO_LEVELS);
  for (size_t i = 0; i < score.points.size(); i++)
    for (size_t level = 0; level < LOGO_LEVELS; level++) {
      const double correlation = correlations[i][level], size = std::abs(correlation);
      if (size < kLeastCorrelation) continue;
      score.points[i].scales[level] = float(1 / size);
      score.points[i].caps[level] = float(std::copysign(std::min(1.0, size / capped), correlation));
    }
}

}  // namespace

StatusOr<LogoScore> make_score(const PlacedPlane& luma, ScoreRows rows, double share) {
  LogoScore score;
  score.left = luma.x;
  score.width = luma.width;
  score.smooths = rows == ScoreRows::kFrame;
  score.row_step = score.smooths ? 1 : 2;
  // The top field has the even rows of the picture.
  const int parity = rows == ScoreRows::kBottomField ? 1 : 0;
  const int first = score.smooths ? 0 : (luma.y + parity) % 2;
  score.first_row = luma.y + first;
  score.height = (luma.height - first + score.row_step - 1) / score.row_step;
  score.a = rows_of(luma.values.a, luma.width, first, score.row_step, score.height, score.smooths);
  score.b = rows_of(luma.values.b, luma.width, first, score.row_step, score.height, score.smooths);
  for (float& a : score.a) a -= 1;
  for (float& b : score.b) b *= float(kScale);
  std::vector<Samples> pictures;
  for (int level = 0; level < LOGO_LEVELS; level++) pictures.push_back(picture_with(score, level));
  choose_points(score, pictures[kVarianceLevel], share);
  complete_points(score, pictures);
  for (const ScorePoint& point : score.points) {
    const Samples& picture = pictures[kWholeLevel];
    score.whole += points_score(point, correlation_of(point, picture, score.width),
                                mean_of(picture, score.width, point.corner));
  }
  if (!(score.whole > 0))
    return invalid_argument(
        "The logo has no edges by which it can be recognized ({}x{} samples); scan it again, or set a fixed "
        "strength, such as fade=1.",
        luma.width, luma.height);
  return score;
}

std::vector<float> LogoScore::constants() const {
  std::vector<float> floats = a;
  floats.insert(floats.end(), b.begin(), b.end());
  for (const ScorePoint& point : points) {
    floats.push_back(float(point.corner));
    floats.insert(floats.end(), point.weights.begin(), point.weights.end());
    floats.insert(floats.end(), point.scales.begin(), point.scales.end());
    floats.insert(floats.end(), point.caps.begin(), point.caps.end());
  }
  return floats;
}

std::vector<double> LogoScore::scores_of(std::span<const uint16_t> luma, int maximum,
                                         std::span<const double> fades) const {
  Samples seen, change;  // a sample is seen + fade * change after removal
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const auto at = [&](int row) { return double(luma[size_t(row * row_step * width + x)]); };
      const bool is_inner = smooths && y > 0 && y < height - 1;
      const double sample = is_inner ? (at(y - 1) + 2 * at(y) + at(y + 1) + 2) / 4 : at(y);
      const size_t i = seen.size();
      seen.push_back(sample * kScale / maximum);
      change.push_back(double(a[i]) * seen[i] + double(b[i]));
    }
  std::vector<double> scores(fades.size());
  for (const ScorePoint& point : points) {
    const double seen_part = correlation_of(point, seen, width);
    const double change_part = correlation_of(point, change, width);
    const double seen_mean = mean_of(seen, width, point.corner);
    const double change_mean = mean_of(change, width, point.corner);
    for (size_t f = 0; f < fades.size(); f++)
      scores[f] +=
          points_score(point, seen_part + fades[f] * change_part, seen_mean + fades[f] * change_mean);
  }
  for (double& each : scores) each /= whole;
  return scores;
}

}  // namespace weft::filters::logo
