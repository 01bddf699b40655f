// SPDX-License-Identifier: Apache-2.0
// Measures planes of samples: squared error, SSIM, flicker. The functions have no side effects.
// score.h calls them with the frames of two clips.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/media/frame_hash.h"

namespace weft::quality {

// A plane of a frame. Samples deeper than 8 bits are 16-bit words.
struct SamplePlane {
  const uint8_t* samples = nullptr;
  ptrdiff_t stride_bytes = 0;
  int width = 0;
  int height = 0;
  int bit_depth = 8;

  template <class Sample>
  const Sample* row(int y) const {
    return reinterpret_cast<const Sample*>(samples + y * stride_bytes);
  }
};
SamplePlane plane_of(const media::PictureView& picture, int plane);

// Returns the mean of the squared differences of two planes of the same size, in code values of
// their bit depth.
double mean_squared_error(const SamplePlane& a, const SamplePlane& b);

// Returns 10 log10(peak^2 / mean squared error) in dB, with peak = 2^bit_depth - 1, or infinity for
// an error of 0.
double psnr(double mean_squared_error, int bit_depth);

// Returns the structural similarity (Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment",
// 2004) as FFmpeg's filter `ssim` computes it: the unweighted mean over windows of 8x8 samples at
// multiples of 4. Columns and rows after the last multiple of 4 are left out. Returns nullopt for
// planes with a side below 8.
std::optional<double> ssim(const SamplePlane& a, const SamplePlane& b);

// Adds the squared differences in each cell of kCell x kCell samples. Cells that extend beyond the
// plane's edge are left out.
inline constexpr int kCell = 8;
void add_cell_errors(const SamplePlane& a, const SamplePlane& b, std::vector<double>& cells);

// Measures the excess of OUTPUT's changes from frame to frame over TRUTH's, where TRUTH stands
// still or pans slowly.
//
// For each pair of frames t-1 and t:
//
//   v  = the vector of multiples of half a pixel, at most 2 pixels in either direction, for which
//        |T_t - move(T_{t-1}, v)|, summed over every fourth row, is least; (0, 0) for ties.
//        move() takes the mean of the 2 or 4 samples around a position between samples. That
//        removes noise, too, so such a v counts only if its sum is below 3/4 of the least one
//        of whole pixels.
//   dT = |T_t - move(T_{t-1}, v)|,  dO = |O_t - move(O_{t-1}, v)|
//   A block of 16x16 samples is still if the mean of its dT is at most 2 code values.
//
//   flicker = sqrt(mean over all samples of still blocks of max(0, dO - dT)^2)
//
// Code values are 8-bit; deeper samples are scaled. 4 samples along each edge are left out, and so
// is the remainder of the last block. An OUTPUT equal to TRUTH has 0. Temporal smoothing does not
// raise the flicker; PSNR and SSIM measure its loss.
class FlickerSum {
 public:
  static constexpr int kBlock = 16;
  static constexpr int kReach = 2;          // largest component of v in pixels
  static constexpr int kMargin = 4;         // samples left out along each edge
  static constexpr double kStillCodes = 2;  // limit of a block's mean dT

  // Adds the luma of two consecutive frames. All four planes must have the same format.
  void add(const SamplePlane& truth_before, const SamplePlane& truth, const SamplePlane& output_before,
           const SamplePlane& output);

  std::optional<double> codes() const;  // flicker in code values; nullopt if no block is still
  double still_share() const;           // still blocks as a share of all; 0 if there are no blocks

 private:
  double squares_ = 0;  // sum over the samples of still blocks
  int64_t still_blocks_ = 0;
  int64_t blocks_ = 0;
};

}  // namespace weft::quality
