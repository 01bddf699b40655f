// SPDX-License-Identifier: Apache-2.0
// Measures of planes of samples: squared error, SSIM, flicker. Pure; score.h feeds them with the frames of two clips.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/media/frame_hash.h"

namespace weft::quality {

// A plane of a picture. Samples deeper than 8 bits are 16-bit words.
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

// The mean of the squared differences of two planes of the same size, in codes of their depth.
double mean_squared_error(const SamplePlane& a, const SamplePlane& b);

// 10 log10(peak^2 / mean squared error) in dB, with peak = 2^bit_depth - 1; infinite for an error of 0.
double psnr(double mean_squared_error, int bit_depth);

// The structural similarity (Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", 2004) as FFmpeg's filter `ssim` takes
// it: the mean over windows of 8x8 samples that lie at multiples of 4, unweighted; columns and rows behind the last multiple of 4
// are left out. Nullopt for planes with a side below 8.
std::optional<double> ssim(const SamplePlane& a, const SamplePlane& b);

// Adds the squared differences in each cell of kCell x kCell samples; cells cut off by the plane's edge are left out.
inline constexpr int kCell = 8;
void add_cell_errors(const SamplePlane& a, const SamplePlane& b, std::vector<double>& cells);

// How much more OUTPUT changes from picture to picture than TRUTH, where TRUTH stands still or pans slowly.
//
// For each pair of pictures t-1 and t:
//
//   v  = the vector of multiples of half a pixel, at most 2 pixels in either direction, for which |T_t - move(T_{t-1}, v)|, summed
//        over every fourth row, is least; (0, 0) where several are equal. move() takes the mean of the 2 or 4 samples around a place
//        between samples. That takes out noise, too, so such a v counts only where its sum is below 3/4 of the least one of whole
//        pixels.
//   dT = |T_t - move(T_{t-1}, v)|,  dO = |O_t - move(O_{t-1}, v)|
//   A block of 16x16 samples is still where the mean of its dT is at most 2 codes.
//
//   flicker = sqrt(mean over all samples of still blocks of max(0, dO - dT)^2)
//
// Codes are those of 8 bits; deeper samples are scaled. 4 samples along each edge are left out, and so is what is left of the last
// block. An OUTPUT that equals TRUTH has 0. Smoothing in time costs nothing here, and PSNR and SSIM tell its price.
class FlickerSum {
 public:
  static constexpr int kBlock = 16;
  static constexpr int kReach = 2;          // pixels of v
  static constexpr int kMargin = 4;         // samples left out along each edge
  static constexpr double kStillCodes = 2;  // of a block's mean dT

  // Luma of two pictures in a row, all four of the same format.
  void add(const SamplePlane& truth_before, const SamplePlane& truth, const SamplePlane& output_before,
           const SamplePlane& output);

  std::optional<double> codes() const;  // nullopt: no block is still
  double still_share() const;           // of all blocks; 0 where there is none

 private:
  double squares_ = 0;  // of still blocks' samples
  int64_t still_blocks_ = 0;
  int64_t blocks_ = 0;
};

}  // namespace weft::quality
