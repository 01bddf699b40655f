// SPDX-License-Identifier: Apache-2.0
// Prepares the score of a picture: the amount of a logo that it contains. The score is about 1 with
// the logo, 0 without it, and negative if the logo was removed from a picture without it.
//
// The score compares windows of 5x5 luma samples with those of the logo on black, at the points of
// the logo with the largest variance. It works on an 8-bit scale.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "kernels/picture/logo.h"
#include "server/filters/logo/logo_planes.h"

namespace weft::filters::logo {

inline constexpr double kScanShare = 0.1;       // share of samples that are points, in a scan
inline constexpr double kPresenceShare = 0.35;  // the same for presence and removal

// Rows of a picture that are compared. A whole frame is smoothed vertically, so that interlacing
// has no effect.
enum class ScoreRows { kFrame, kTopField, kBottomField };

// A point with its window.
struct ScorePoint {
  int corner = 0;  // first sample of the window in the rectangle, counted row by row
  std::array<float, LOGO_TAPS> weights{};
  // by brightness of the window: factor of the correlation, and the largest score
  std::array<float, LOGO_LEVELS> scales{}, caps{};
};

struct LogoScore {
  int left = 0;                     // left edge of the rectangle
  int first_row = 0, row_step = 1;  // rows of the picture
  int width = 0, height = 0;        // samples that are compared
  bool smooths = false;
  std::vector<float> a, b;  // a - 1 and b of the samples; b on an 8-bit scale
  std::vector<ScorePoint> points;
  double whole = 0;  // sum of the points' scores for the logo on a dark picture

  // Returns the floats of the kernel logo_score.
  std::vector<float> constants() const;
  // Returns the scores of samples of the rectangle after removal with each of the strengths. `luma`
  // has `width` samples per row of all rows of the rectangle, without padding.
  std::vector<double> scores_of(std::span<const uint16_t> luma, int maximum,
                                std::span<const double> fades) const;
};

// INVALID_ARGUMENT: the logo has no edges that can be recognized.
StatusOr<LogoScore> make_score(const PlacedPlane& luma, ScoreRows rows, double share);

}  // namespace weft::filters::logo
