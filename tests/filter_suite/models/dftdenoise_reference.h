// SPDX-License-Identifier: Apache-2.0
// Model of the denoiser, written from its definition (denoise.h) as plain sums. Only tests include
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/filter_suite/clip.h"
#include "tests/filter_suite/models/temporal_nr_reference.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

// Denoises a plane of the middle picture of a window. `sigma` is in code values of 8 bits.
class DenoiserModel {
 public:
  DenoiserModel(std::vector<const Picture*> pictures, double sigma)
      : pictures_(std::move(pictures)), sigma_(sigma) {}

  std::vector<uint16_t> plane(int plane) const {
    const VideoFormat& format = pictures_[0]->format;
    const int width = format.plane_width(plane), height = format.plane_height(plane);
    const double scale = double(1 << (format.bit_depth - 8));
    std::vector<double> sums(size_t(width) * size_t(height));
    for (int top = -8; top < height; top += 8)
      for (int left = -8; left < width; left += 8) {
        const Block block = denoised(plane, left, top);
        for (int y = std::max(top, 0); y < std::min(top + 16, height); y++)
          for (int x = std::max(left, 0); x < std::min(left + 16, width); x++)
            sums[size_t(y) * size_t(width) + size_t(x)] +=
                block[size_t(16 * (y - top) + x - left)].real() * window(y - top) * window(x - left);
      }
    std::vector<uint16_t> samples;
    for (const double sum : sums)
      samples.push_back(
          uint16_t(std::clamp(std::floor(sum * scale + 0.5), 0.0, double((1 << format.bit_depth) - 1))));
    return samples;
  }

 private:
  using Complex = std::complex<double>;
  using Block = std::array<Complex, 256>;
  static double window(int i) { return std::sin(std::numbers::pi * (i + 0.5) / 16); }
  static Complex turn(int of, int points) { return std::polar(1.0, 2 * std::numbers::pi * of / points); }

  // Leaves out the tests for infinities of std::complex, which take most of the time.
  static Complex product(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  // Returns the transform by sums over columns and then over rows. `sign` is the sign of the
  // exponent.
  static Block transformed(const Block& from, int sign) {
    std::array<Complex, 16> turns;
    for (int i = 0; i < 16; i++) turns[size_t(i)] = turn(sign * i, 16);
    Block rows{}, result{};
    for (size_t y = 0; y < 16; y++)
      for (size_t v = 0; v < 16; v++)
        for (size_t x = 0; x < 16; x++) rows[16 * y + v] += product(from[16 * y + x], turns[v * x % 16]);
    for (size_t u = 0; u < 16; u++)
      for (size_t v = 0; v < 16; v++)
        for (size_t y = 0; y < 16; y++) result[16 * u + v] += product(rows[16 * y + v], turns[u * y % 16]);
    return result;
  }

  double sample(int picture, int plane, int x, int y) const {
    const VideoFormat& format = pictures_[0]->format;
    const int width = format.plane_width(plane), height = format.plane_height(plane);
    const size_t at =
        size_t(std::clamp(y, 0, height - 1)) * size_t(width) + size_t(std::clamp(x, 0, width - 1));
    return pictures_[size_t(picture)]->planes[size_t(plane)][at] / double(1 << (format.bit_depth - 8));
  }

  Block denoised(int plane, int left, int top) const {
    const int times = int(pictures_.size());
    double weights = 0;
    for (int i = 0; i < 16; i++) weights += window(i);
    // The mean over the block's pictures is removed before the transform and added again after it.
    double mean = 0;
    for (int t = 0; t < times; t++)
      for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) mean += sample(t, plane, left + x, top + y) * window(y) * window(x);
    mean /= times * weights * weights;
    Block result{};
    for (int k = 0; k < times; k++) {
      Block own{};
      for (int t = 0; t < times; t++)
        for (int y = 0; y < 16; y++)
          for (int x = 0; x < 16; x++)
            own[size_t(16 * y + x)] += (sample(t, plane, left + x, top + y) - mean) * window(y) * window(x) *
                                       turn(-k * (t - times / 2), times);
      Block spectrum = transformed(own, -1);
      for (Complex& value : spectrum) {
        const double power = std::norm(value), noise = 64 * times * sigma_ * sigma_;
        value *= power > 0 ? std::max(power - noise, 0.0) / power : 0.0;
      }
      const Block back = transformed(spectrum, 1);
      for (size_t i = 0; i < 256; i++) result[i] += back[i] / double(256 * times);
    }
    for (int y = 0; y < 16; y++)
      for (int x = 0; x < 16; x++) result[size_t(16 * y + x)] += mean * window(y) * window(x);
    return result;
  }

  std::vector<const Picture*> pictures_;
  double sigma_;
};

inline Picture denoised_picture(std::vector<const Picture*> pictures, double sigma, bool chroma) {
  Picture result = *pictures[pictures.size() / 2];
  const DenoiserModel model(std::move(pictures), sigma);
  for (int plane = 0; plane < (chroma ? result.format.planes() : 1); plane++)
    result.planes[size_t(plane)] = model.plane(plane);
  return result;
}

inline Clip dftdenoise(const v1::DftDenoise& options, const Clip& clip) {
  Clip result = clip;
  for (int n = 0; n < int(clip.frames.size()); n++) {
    std::vector<const Picture*> pictures;
    for (int distance = -options.radius(); distance <= options.radius(); distance++)
      pictures.push_back(&frame_near(clip, n, distance));
    result.frames[size_t(n)] = denoised_picture(std::move(pictures), options.sigma(), options.chroma());
  }
  return result;
}

}  // namespace weft::filters::plain
