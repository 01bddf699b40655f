// SPDX-License-Identifier: Apache-2.0
// Test textures, and Lanczos3 in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

struct Picture8 {
  int width, height;
  std::string texels = std::string(size_t(width) * size_t(height) * 4, '\0');

  char& at(int x, int y, int c) { return texels[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]; }
  int code(int x, int y, int c) const {
    return uint8_t(texels[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]);
  }
};

inline Picture8 noise(int width, int height, bool has_extremes) {
  std::mt19937 random(unsigned(width * 100 + height));
  Picture8 picture{width, height};
  for (char& byte : picture.texels)
    byte = has_extremes && random() % 2 == 0 ? char(random() % 2 * 255) : char(random());
  return picture;
}

// Returns a texture with values far from 0 and 255, so that no result is clamped.
inline Picture8 waves(int width, int height) {
  Picture8 picture{width, height};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++)
        picture.at(x, y, c) =
            char(std::lround(128 + 30 * std::sin(x / (2.0 + c)) + 25 * std::cos(y / 3.0 - x * c / 9.0)));
  return picture;
}

// Returns a normal map of bumps. `length` is the length of its vectors; less than 1 makes them
// shorter than unit vectors.
inline Picture8 bumps(int width, int height, double length) {
  Picture8 picture{width, height};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double a = 0.8 * std::sin(x / 3.0), b = 0.8 * std::cos(y / 4.0 + x / 7.0),
                   scale = length / std::sqrt(1 + a * a + b * b);
      const double v[3] = {a * scale, b * scale, scale};
      for (int c = 0; c < 3; c++) picture.at(x, y, c) = char(std::lround(127.5 * (1 + v[c])));
      picture.at(x, y, 3) = char(x * 7 % 256);
    }
  return picture;
}
inline double lanczos(double t) {
  t = std::abs(t);
  if (t < 1e-12) return 1;
  if (t >= 3) return 0;
  return 3 * std::sin(M_PI * t) * std::sin(M_PI * t / 3) / (M_PI * M_PI * t * t);
}

inline int border_index(int i, int size, int border) {
  if (border == BORDER_CLAMP) return std::clamp(i, 0, size - 1);
  while (i < 0 || i >= size) {
    if (border == BORDER_WRAP) i += i < 0 ? size : -size;
    if (border == BORDER_MIRROR) i = i < 0 ? -1 - i : 2 * size - 1 - i;
  }
  return i;
}

using Plane = std::vector<double>;

// Returns one channel at twice the size, in double precision.
inline Plane doubled(const Plane& from, int width, int height, int border) {
  Plane to(from.size() * 4);
  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++) {
      double sum = 0, all = 0;
      const double centre_x = (x + 0.5) / 2 - 0.5, centre_y = (y + 0.5) / 2 - 0.5;
      for (int j = int(std::floor(centre_y)) - 3; j <= std::floor(centre_y) + 4; j++)
        for (int i = int(std::floor(centre_x)) - 3; i <= std::floor(centre_x) + 4; i++) {
          const double weight = lanczos(i - centre_x) * lanczos(j - centre_y);
          sum +=
              weight * from[size_t(border_index(j, height, border) * width + border_index(i, width, border))];
          all += weight;
        }
      to[size_t(y * 2 * width + x)] = sum / all;
    }
  return to;
}

inline Plane halved(const Plane& from, int width, int height) {
  Plane to(size_t(width / 2 * (height / 2)));
  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++) {
      const size_t at = size_t(2 * y * width + 2 * x);
      to[size_t(y * (width / 2) + x)] =
          (from[at] + from[at + 1] + from[at + size_t(width)] + from[at + size_t(width) + 1]) / 4;
    }
  return to;
}

// Returns one channel at twice the size after `passes` passes of back-projection. The mean of each
// 2x2 texels is then close to the given texel. Values outside of 0 to 255 are not clamped.
inline Plane enlarged(const Plane& given, int width, int height, int border, int passes) {
  Plane values = given;
  for (int pass = 0; pass < passes; pass++) {
    const Plane made = halved(doubled(values, width, height, border), 2 * width, 2 * height);
    for (size_t i = 0; i < values.size(); i++) values[i] += given[i] - made[i];
  }
  return doubled(values, width, height, border);
}
// Adds a constant to each 2x2 texels of `large`, so that their mean is the given texel.
inline void restore_means(Plane& large, const Plane& given, int width, int height) {
  const Plane made = halved(large, 2 * width, 2 * height);
  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++) {
      const size_t small = size_t(y / 2 * width + x / 2);
      large[size_t(y * 2 * width + x)] += given[small] - made[small];
    }
}

}  // namespace weft::filters::texture
