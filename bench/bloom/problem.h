// SPDX-License-Identifier: Apache-2.0
// What is convolved in bloom_bench, the same for ours and for every peer, and how a result is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::bench {

// A kernel is a sum of few taps, so that a direct sum at any size is cheap. No library knows that it is sparse.
struct Tap {
  int dx, dy;
  float weights[4];  // of red, green, blue, alpha; the first alone where there is one kernel for all
};

struct Problem {
  std::string name;
  int width = 0;
  int height = 0;
  int reach = 0;     // 0: circular, the transform is as large as the image
  int points_x = 0;  // of the transform; each way has its own
  int points_y = 0;
  bool has_channel_kernels = false;
  int frames = 1;
  std::vector<Tap> taps = {};
  std::span<const uint16_t> pixels = {};  // of one frame, four halves a pixel; all frames are alike

  static constexpr int kChannels = 3;  // that are convolved, as bloom does it; alpha becomes 0
};

float of_half(uint16_t bits);

// Between 0 and 1, and a few lamps.
std::vector<uint16_t> random_pixels(size_t count);

// Six taps, among them the furthest that the reach allows, in a corner.
std::vector<Tap> random_taps(const Problem& problem);

// The largest difference from the direct sum in float64 over the largest value, in 4000 pixels; half rounding is taken off.
double error_of(const Problem& problem, const std::vector<uint16_t>& result);
inline constexpr double kMostError = 2e-6;
inline constexpr double kMostHalfError = 5e-4;  // of intermediates of fp16

// (Kernel of channel a, plus or minus that of b) / 2 * scale as a plane of the transform's size, its origin at (0, 0).
struct Complex {
  float x, y;
};
std::vector<Complex> kernel_plane(const Problem& problem, int a, int b, float sign, double scale);

// A product of 2, 3, 5 and 7: a transform's length for ours and for every peer.
bool is_smooth(int n);

// Of measurements; not empty.
double median(std::vector<double> values);

// Bytes of sources and targets that are gone through in turn, so that none is found in a cache.
inline constexpr size_t kRotatedBytes = size_t{256} << 20;

}  // namespace weft::bench
