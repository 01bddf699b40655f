// SPDX-License-Identifier: Apache-2.0
#include "server/filters/logo/logo_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "server/filters/logo/logo_planes.h"
#include "server/filters/logo/logo_score.h"

namespace weft::filters::logo {
namespace {

constexpr double kRows = 1080;        // thresholds are for pictures of this height
constexpr double kLeastChange = 0.3;  // samples with less of the logo are cleared
constexpr int kFadeSteps = 20;        // strengths of 0, 0.1 .. 1.9
constexpr int kWholeFade = 9;         // least strength of a frame that is used, in tenths
constexpr int kCleaningPasses = 3;
// Standard deviation of a chroma background, on an 8-bit scale, below which its opacity is that of
// luma.
constexpr double kLeastDeviation = 2;

double limited_share_of(const ScanArea& area) { return std::clamp(area.format.height / kRows, 0.25, 1.0); }

int maximum_of(const ScanArea& area) { return (1 << area.format.bit_depth) - 1; }

// Sums of a sample over frames: values from 0 to 1, seen (f) and background (b).
struct Sums {
  double f = 0, b = 0, ff = 0, bb = 0, fb = 0;
};

struct Coefficients {
  double a = 1, b = 0;
};

// Returns the mean of the regressions of b on f and of f on b.
Coefficients line_of(const Sums& sums, double count) {
  const double ff = count * sums.ff - sums.f * sums.f, bb = count * sums.bb - sums.b * sums.b;
  const double fb = count * sums.fb - sums.f * sums.b;
  const double a_1 = fb / ff, a_2 = fb / bb;
  const double b_1 = (sums.b - a_1 * sums.f) / count, b_2 = (sums.f - a_2 * sums.b) / count;
  return {(a_1 + 1 / a_2) / 2, (b_1 - b_2 / a_2) / 2};
}

bool is_valid(const Coefficients& line) {
  return std::isfinite(line.a) && std::isfinite(line.b) && line.a > 0;
}

// Returns true if the background of a plane hardly varies, so that it determines no opacity.
bool is_constant(const Sums& sums, double count) {
  const double variance = sums.bb / count - sums.b * sums.b / (count * count);
  return variance < kLeastDeviation * kLeastDeviation / (255.0 * 255.0);
}

std::vector<std::vector<Sums>> sums_of(const ScanArea& area, std::span<const ScanFrame> frames) {
  std::vector<std::vector<Sums>> planes;
  const double maximum = maximum_of(area);
  size_t before = 0;
  for (int plane = 0; plane < area.format.planes(); plane++) {
    const size_t count = size_t(area.plane_width(plane)) * size_t(area.plane_height(plane));
    std::vector<Sums>& sums = planes.emplace_back(count);
    for (const ScanFrame& frame : frames) {
      const double b = frame.background[size_t(plane)] / maximum;
      for (size_t i = 0; i < count; i++) {
        const double f = frame.samples[before + i] / maximum;
        Sums& each = sums[i];
        each.f += f;
        each.b += b;
        each.ff += f * f;
        each.bb += b * b;
        each.fb += f * b;
      }
    }
    before += count;
  }
  return planes;
}

Status not_enough(size_t frames) {
  return invalid_argument(
      "{} frames with a plain background around the rectangle do not determine the logo: backgrounds of "
      "different brightness are needed; scan a longer video, or raise the threshold.",
      frames);
}

// Returns the logo without cleaning.
StatusOr<Logo> measured(const ScanArea& area, std::span<const ScanFrame> frames) {
  if (frames.size() < 2) return not_enough(frames.size());
  Logo logo;
  logo.x = area.x;
  logo.y = area.y;
  logo.width = area.width;
  logo.height = area.height;
  logo.image_width = area.format.width;
  logo.image_height = area.format.height;
  const bool is_gray = area.format.planes() == 1;
  logo.chroma_shift_x = is_gray ? 1 : std::countr_zero(unsigned(columns_of_chroma(area.format.chroma)));
  logo.chroma_shift_y = is_gray ? 1 : std::countr_zero(unsigned(rows_of_chroma(area.format.chroma)));
  const std::vector<std::vector<Sums>> sums = sums_of(area, frames);
  const double count = double(frames.size());
  for (int plane = 0; plane < 3; plane++) {
    LogoPlane& values = logo.planes[size_t(plane)];
    const int width = logo.plane_width(plane), height = logo.plane_height(plane);
    for (int i = 0; i < width * height; i++) {
      Coefficients line;
      if (plane < int(sums.size())) {
        const Sums& own = sums[size_t(plane)][size_t(i)];
        line = line_of(own, count);
        if (plane > 0 && is_constant(own, count)) {
          const int luma =
              (i / width << logo.chroma_shift_y) * logo.width + (i % width << logo.chroma_shift_x);
          line.a = double(logo.planes[0].a[size_t(luma)]);
          line.b = (own.b - line.a * own.f) / count;
        }
      }
      if (!is_valid(line)) return not_enough(frames.size());
      values.a.push_back(float(line.a));
      values.b.push_back(float(line.b));
    }
  }
  return logo;
}

// Returns the mean square change of values from 0 to 1 by a sample of the logo.
double change_of(const Logo& logo, int plane, int x, int y) {
  const int shift_x = plane == 0 ? 0 : logo.chroma_shift_x, shift_y = plane == 0 ? 0 : logo.chroma_shift_y;
  const size_t at = size_t(y >> shift_y) * size_t(logo.plane_width(plane)) + size_t(x >> shift_x);
  const double a = double(logo.planes[size_t(plane)].a[at]) - 1;
  const double b = double(logo.planes[size_t(plane)].b[at]);
  return a * a / 3 + a * b + b * b;
}

// Returns the largest values of windows of 3x3.
std::vector<double> widened(const std::vector<double>& values, int width, int height) {
  std::vector<double> result;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double most = 0;
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, height - 1); j++)
        for (int i = std::max(x - 1, 0); i <= std::min(x + 1, width - 1); i++)
          most = std::max(most, values[size_t(j * width + i)]);
      result.push_back(most);
    }
  return result;
}

// Clears the samples that are hardly changed, away from those of the logo.
void clean(Logo& logo) {
  std::vector<double> changes;
  for (int y = 0; y < logo.height; y++)
    for (int x = 0; x < logo.width; x++)
      changes.push_back(1000 *
                        (change_of(logo, 0, x, y) + change_of(logo, 1, x, y) + change_of(logo, 2, x, y)));
  for (int pass = 0; pass < kCleaningPasses; pass++) changes = widened(changes, logo.width, logo.height);
  for (int plane = 0; plane < 3; plane++) {
    LogoPlane& values = logo.planes[size_t(plane)];
    const int shift_x = plane == 0 ? 0 : logo.chroma_shift_x, shift_y = plane == 0 ? 0 : logo.chroma_shift_y;
    std::vector<bool> stays(values.a.size());
    for (int y = 0; y < logo.height; y++)
      for (int x = 0; x < logo.width; x++)
        if (changes[size_t(y * logo.width + x)] >= kLeastChange)
          stays[size_t(y >> shift_y) * size_t(logo.plane_width(plane)) + size_t(x >> shift_x)] = true;
    for (size_t i = 0; i < stays.size(); i++)
      if (!stays[i]) {
        values.a[i] = 1;
        values.b[i] = 0;
      }
  }
}

// Returns the strength of the logo in each frame, in tenths.
StatusOr<std::vector<int>> fades_of(const ScanArea& area, const Logo& logo,
                                    std::span<const ScanFrame> frames) {
  ASSIGN_OR_RETURN(const auto planes, place_logo(logo, area.format));
  ASSIGN_OR_RETURN(const LogoScore score, make_score(planes[0], ScoreRows::kFrame, kScanShare));
  std::vector<double> steps;
  for (int i = 0; i < kFadeSteps; i++) steps.push_back(i / 10.0);
  std::vector<int> fades;
  for (const ScanFrame& frame : frames) {
    const std::vector<double> scores = score.scores_of(frame.samples, maximum_of(area), steps);
    const auto least = std::ranges::min_element(scores, {}, [](double each) { return std::abs(each); });
    fades.push_back(int(least - scores.begin()));
  }
  return fades;
}

// Measures again with the frames that have all of the logo, or nearly all if these are too few.
StatusOr<Logo> measured_again(const ScanArea& area, const Logo& logo, std::span<const ScanFrame> frames) {
  ASSIGN_OR_RETURN(const std::vector<int> fades, fades_of(area, logo, frames));
  const double share = std::sqrt(limited_share_of(area));
  const int most = std::clamp(int(std::lround(kWholeFade * std::clamp(share, 0.65, 1.0))), 5, kWholeFade);
  Status last = ok_status();
  for (const int least : {most, most - 2, 5, 3, 1, 0}) {
    std::vector<ScanFrame> chosen;
    for (size_t i = 0; i < frames.size(); i++)
      if (fades[i] >= least) chosen.push_back(frames[i]);
    StatusOr<Logo> result = measured(area, chosen);
    if (result.ok()) {
      clean(*result);
      return result;
    }
    last = result.status();
  }
  return last;
}

}  // namespace

size_t ScanArea::samples() const {
  size_t count = 0;
  for (int plane = 0; plane < format.planes(); plane++)
    count += size_t(plane_width(plane)) * size_t(plane_height(plane));
  return count;
}

size_t ScanArea::border_samples() const {
  size_t count = 0;
  for (int plane = 0; plane < format.planes(); plane++)
    count += 2 * size_t(plane_width(plane)) + 2 * size_t(plane_height(plane) - 2);
  return count;
}

std::vector<uint16_t> border_of(const ScanArea& area, std::span<const uint16_t> samples) {
  std::vector<uint16_t> border;
  for (int plane = 0; plane < area.format.planes(); plane++) {
    const auto width = size_t(area.plane_width(plane)), height = size_t(area.plane_height(plane));
    for (size_t y = 0; y < height; y++)
      for (size_t x = 0; x < width; x++)
        if (y == 0 || x == 0 || y == height - 1 || x == width - 1) border.push_back(samples[y * width + x]);
    samples = samples.subspan(width * height);
  }
  return border;
}

std::optional<Background> background_of(const ScanArea& area, std::span<const uint16_t> border,
                                        int threshold) {
  const double scale = std::clamp(1 / std::sqrt(limited_share_of(area)), 1.0, 1.75);
  const int limit = int(std::lround(threshold * scale)) << (area.format.bit_depth - 8);
  Background background{};
  for (int plane = 0; plane < area.format.planes(); plane++) {
    const size_t count = 2 * size_t(area.plane_width(plane)) + 2 * size_t(area.plane_height(plane) - 2);
    std::vector<uint16_t> sorted(border.begin(), border.begin() + ptrdiff_t(count));
    border = border.subspan(count);
    std::ranges::sort(sorted);
    if (sorted.back() - sorted.front() > limit) return std::nullopt;
    int64_t sum = 0;
    const size_t begin = count / 4, end = count - count / 4;
    for (size_t i = begin; i < end; i++) sum += sorted[i];
    background[size_t(plane)] = int((2 * sum + int64_t(end - begin)) / (2 * int64_t(end - begin)));
  }
  return background;
}

StatusOr<Logo> scan_logo(const ScanArea& area, std::span<const ScanFrame> frames) {
  ASSIGN_OR_RETURN(Logo logo, measured(area, frames));
  for (int round = 0; round < 2; round++) {
    ASSIGN_OR_RETURN(logo, measured_again(area, logo, frames));
  }
  return logo;
}

}  // namespace weft::filters::logo
