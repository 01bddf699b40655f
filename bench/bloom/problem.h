// SPDX-License-Identifier: Apache-2.0
// Defines the convolution problem of bloom_bench, the same for Weft and for every peer, and the
// check of a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::bench {

// A tap of a kernel. A kernel is a sum of few taps, so that a direct sum at any size is cheap. The
// measured methods do not use this sparsity.
struct Tap {
  int dx, dy;
  // Weights of red, green, blue and alpha. Only the first counts if there is one kernel for all
  // channels.
  float weights[4];
};

struct Problem {
  std::string name;
  int width = 0;
  int height = 0;
  int reach = 0;     // 0 for a circular convolution, with a transform as large as the image
  int points_x = 0;  // length of the transform, chosen by the method
  int points_y = 0;
  bool has_channel_kernels = false;
  int frames = 1;
  std::vector<Tap> taps = {};
  // Pixels of one frame, four halves each. All frames are equal.
  std::span<const uint16_t> pixels = {};

  static constexpr int kChannels = 3;  // number of convolved channels, as in bloom; alpha becomes 0
};

float of_half(uint16_t bits);

// Returns values between 0 and 1, with a few bright lamps.
std::vector<uint16_t> random_pixels(size_t count);

// Returns six taps, one of them at the largest distance that the reach allows, in a corner.
std::vector<Tap> random_taps(const Problem& problem);

// Returns the largest difference from the direct sum in float64 over the largest value, in 4000
// pixels. The rounding to halves is subtracted.
double error_of(const Problem& problem, const std::vector<uint16_t>& result);
inline constexpr double kMostError = 2e-6;
inline constexpr double kMostHalfError = 5e-4;  // bound for fp16 intermediates

// Returns (kernel of channel a, plus or minus that of channel b) / 2 * scale as a plane of the
// transform's size with the origin at (0, 0).
struct Complex {
  float x, y;
};
std::vector<Complex> kernel_plane(const Problem& problem, int a, int b, float sign, double scale);

// Returns true for a product of 2, 3, 5 and 7: a transform's length for Weft and for every peer.
bool is_smooth(int n);

// Returns the median of measurements. `values` must not be empty.
double median(std::vector<double> values);

// Bytes of sources and targets that are used in rotation, so that no cache contains them.
inline constexpr size_t kRotatedBytes = size_t{256} << 20;

}  // namespace weft::bench
