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
  int skip = 5;  // frames left out at each end, because a filter lacks neighbours there
};

struct PlaneScore {
  // PSNR of the mean squared error over all frames in dB; infinite if no sample differs.
  double psnr = 0;
  std::optional<double> ssim;  // mean over frames; nullopt if the plane has a side below 8
};

// The square of luma samples with the largest squared error of any frame. Its corner is at
// multiples of 8. It is smaller than kRegion if the frame is.
struct WorstRegion {
  int64_t frame = 0;  // frame number in TRUTH; in OUTPUT it is `shift` later
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
  // code values of 8 bits (FlickerSum); nullopt if no block is still
  std::optional<double> flicker;
  double still_share = 0;  // share of the blocks that count for flicker
  int64_t frames = 0;      // number of compared frames
  int64_t truth_frames = 0;
  int64_t output_frames = 0;
  int shift = 0;                     // frame i of TRUTH is frame i + shift of OUTPUT
  std::optional<WorstRegion> worst;  // nullopt if no sample differs, or a side is below 8
};

// Scores OUTPUT against TRUTH. OUTPUT may be shifted by up to kMostShift frames, and may have up to
// kMostShift more or fewer frames. The shift with the least error is chosen; 0 is preferred unless
// another error is 0.1% less. Both files are read twice.
//
// INVALID_ARGUMENT: sizes, chroma formats, bit depths or ranges differ. FAILED_PRECONDITION: frames
// are missing or too few. VideoSource's errors are returned too.
inline constexpr int kMostShift = 2;
StatusOr<Score> score_clips(const std::string& truth, const std::string& output, const ScoreOptions& options);

}  // namespace weft::quality
