// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace weft::bench {
float of_half(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

// Returns values between 0 and 1, with a few bright lamps.
std::vector<uint16_t> random_pixels(size_t count) {
  std::mt19937 random(1);
  std::vector<uint16_t> pixels(4 * count);
  for (uint16_t& value : pixels) {
    const auto word = static_cast<uint32_t>(random());
    const float dim = float(word >> 8) / float(1 << 24);
    value = std::bit_cast<uint16_t>(static_cast<_Float16>((word & 255) == 0 ? 200 * dim : dim));
  }
  return pixels;
}

// Returns six taps, one of them at the largest distance that the reach allows, in a corner.
std::vector<Tap> random_taps(const Problem& problem) {
  const int reach_x = problem.reach > 0 ? problem.reach : problem.width / 2 - 1;
  const int reach_y = problem.reach > 0 ? problem.reach : problem.height / 2 - 1;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> weight(0.1f, 0.5f);
  std::vector<Tap> taps = {{0, 0, {}}, {reach_x, -reach_y, {}}};
  for (int i = 0; i < 4; i++)
    taps.push_back({int(random() % uint32_t(2 * reach_x)) - reach_x,
                    int(random() % uint32_t(2 * reach_y)) - reach_y,
                    {}});
  for (Tap& tap : taps)
    for (float& value : tap.weights) value = weight(random);
  return taps;
}

namespace {

// Returns channel c of a pixel of the direct sum.
double direct_sum(const Problem& problem, int x, int y, int c) {
  if (c >= Problem::kChannels) return 0;
  double sum = 0;
  for (const Tap& tap : problem.taps) {
    int sx = x - tap.dx, sy = y - tap.dy;
    if (problem.reach == 0) {
      sx = (sx + problem.width) % problem.width;
      sy = (sy + problem.height) % problem.height;
    }
    if (sx < 0 || sy < 0 || sx >= problem.width || sy >= problem.height) continue;
    sum += double(tap.weights[problem.has_channel_kernels ? c : 0]) *
           of_half(problem.pixels[(size_t(sy) * size_t(problem.width) + size_t(sx)) * 4 + size_t(c)]);
  }
  return sum;
}

}  // namespace

// Returns the largest error over the largest value, in 4000 pixels. The rounding to halves is
// subtracted.
double error_of(const Problem& problem, const std::vector<uint16_t>& result) {
  std::mt19937 random(3);
  double worst = 0, most = 0;
  for (int i = 0; i < 4000; i++) {
    const int x = int(random() % uint32_t(problem.width)), y = int(random() % uint32_t(problem.height));
    for (int c = 0; c < 4; c++) {
      const double sum = direct_sum(problem, x, y, c);
      const double value = of_half(result[(size_t(y) * size_t(problem.width) + size_t(x)) * 4 + size_t(c)]);
      const double error = std::abs(value - sum) - 5e-4 * std::abs(sum);
      worst = error <= worst ? worst : error;  // keeps a NaN
      most = std::max(most, std::abs(sum));
    }
  }
  return worst / most;
}

std::vector<Complex> kernel_plane(const Problem& problem, int a, int b, float sign, double scale) {
  std::vector<Complex> plane(size_t(problem.points_x) * size_t(problem.points_y), Complex{0, 0});
  for (const Tap& tap : problem.taps) {
    const int x = (tap.dx + problem.points_x) % problem.points_x;
    const int y = (tap.dy + problem.points_y) % problem.points_y;
    const float weight = (tap.weights[a] + sign * tap.weights[b]) / 2;
    plane[size_t(y) * size_t(problem.points_x) + size_t(x)].x += float(weight * scale);
  }
  return plane;
}

bool is_smooth(int n) {
  for (const int prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace weft::bench
