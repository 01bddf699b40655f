// SPDX-License-Identifier: Apache-2.0
// Test pictures for the encoders of blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "tests/server/filters/texture/reference_blocks.h"

namespace weft::filters::texture {

inline std::string paint(int width, int height, const std::function<plain::Texel(int x, int y)>& texel) {
  std::string texels;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (const int value : texel(x, y)) texels += char(std::clamp(value, 0, 255));
  return texels;
}

// Returns a picture by `kind`: a colour gradient with a little grain, an edge, a normal map of
// bumps, noise, or holes in alpha.
inline std::string sample_texels(int kind, int width, int height) {
  std::mt19937 random(unsigned(kind) + 1);
  const auto grain = [&](int most) { return int(random() % unsigned(2 * most + 1)) - most; };
  return paint(width, height, [&](int x, int y) -> plain::Texel {
    const double bump_x = 0.6 * std::sin(x / 5.0 + y / 17.0), bump_y = 0.6 * std::cos(y / 7.0 - x / 23.0);
    const double length = std::sqrt(1 + bump_x * bump_x + bump_y * bump_y);
    const auto code = [&](double v) { return int(std::lround(127.5 * (1 + v / length))); };
    switch (kind) {
      case 0:
        return {40 + 2 * x + grain(2), 200 - y + grain(2), 90 + x - y + grain(2), 255};
      case 1:
        return x + 2 * y < 70 ? plain::Texel{200, 60, 20, 255} : plain::Texel{20, 80 + y, 180, 255};
      case 2:
        return {code(bump_x), code(bump_y), code(1), 255};
      case 3:
        return {int(random() % 256), int(random() % 256), int(random() % 256), int(random() % 256)};
      default:
        return {100 + x, 150, 220 - 2 * y, 4 * x + y};
    }
  });
}

}  // namespace weft::filters::texture
