// SPDX-License-Identifier: Apache-2.0
// What is convolved in bloom_bench, the same for ours and for every peer, and how a result is checked.
#pragma once

#include <cstddef>
#include <cstdint>
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
  int reach = 0;  // 0: circular, the transform is as large as the image
  int points_x = 0;
  int points_y = 0;
  bool has_channel_kernels = false;
  int frames = 1;
  std::vector<Tap> taps;
  const std::vector<uint16_t>* pixels = nullptr;  // of one frame, four halves a pixel; all frames are alike
};

struct Measured {
  double us_per_frame = 0;
  std::vector<uint16_t> pixels;  // of the first frame that came out
};

// Bytes of sources and targets that are gone through in turn, so that none is found in a cache.
inline constexpr size_t kRotatedBytes = size_t{256} << 20;
inline constexpr int kRepeats = 5;

// How often a frame, or batch, is done in one measurement.
inline int iterations_of(const Problem& problem) {
  const double points = double(problem.points_x) * problem.points_y * problem.frames;
  const double wanted = 4e8 / points;
  return wanted < 8 ? 8 : wanted > 200 ? 200 : int(wanted);
}

// cuFFT done the natural way: unpack, transform, multiply, transform back, pack; complex with two channels in one number,
// or a real transform a channel. Returns what went wrong; empty when nothing did.
std::string measure_cufft(const Problem& problem, bool is_real, Measured& measured);

}  // namespace weft::bench
