// SPDX-License-Identifier: Apache-2.0
// Scores a clip against its truth, frame by frame.
//
//   ASSIGN_OR_RETURN(const Score score, score_clips("truth.mkv", "output.mkv", {}));
//   fmt::print("{}", score.planes[0].psnr);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"

namespace weft::quality {

struct ScoreOptions {
  int skip = 5;  // frames left out at each end: a filter sees no neighbours there
};

struct PlaneScore {
  double psnr = 0;  // of the mean squared error over all frames, dB; infinite where no sample differs
  std::optional<double> ssim;  // the mean over frames; nullopt: the plane has a side below 8
};

// The square of luma samples with the largest squared error of any frame, its corner at multiples of 8. Smaller than kRegion where
// the picture is.
struct WorstRegion {
  int64_t frame = 0;  // of TRUTH; OUTPUT's is `shift` later
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  double psnr = 0;
};
inline constexpr int kRegion = 96;

struct Score {
  VideoFormat format;
  std::vector<PlaneScore> planes;  // luma, then chroma if there is any
  std::optional<double> flicker;   // codes of 8 bits (FlickerSum); nullopt: nothing stands still
  double still_share = 0;          // of blocks: what the flicker is of
  int64_t frames = 0;              // compared
  int64_t truth_frames = 0;
  int64_t output_frames = 0;
  int shift = 0;                     // frame i of TRUTH is frame i + shift of OUTPUT
  std::optional<WorstRegion> worst;  // nullopt: no sample differs, or a side is below 8
};

// OUTPUT may be shifted by up to kMostShift frames, and have so many more or fewer; the shift with the least error is taken, 0 unless
// another has 0.1% less. Both files are read twice.
//
// INVALID_ARGUMENT where sizes, chroma formats, bit depths or ranges differ; FAILED_PRECONDITION where frames are missing or too few;
// VideoSource's errors.
inline constexpr int kMostShift = 2;
StatusOr<Score> score_clips(const std::string& truth, const std::string& output, const ScoreOptions& options);

}  // namespace weft::quality
