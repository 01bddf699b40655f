// SPDX-License-Identifier: Apache-2.0
// Model of a mask of motion vectors. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/filters/motion/motion.h"
#include "tests/filter_suite/models/reference_motion.h"

namespace weft::filters::plain {

// Returns the mask by its definition, in floating point. Only the code values of blocks are
// integers.
inline Picture mask_of(const std::vector<Vector>& vectors, const VideoFormat& format,
                       const motion::BlockGrid& grid, motion::MotionMask kind, double full) {
  const int across = grid.count(format.width), down = grid.count(format.height);
  const auto at = [&](int x, int y) -> const Vector& {
    return vectors[size_t(std::clamp(y, 0, down - 1) * across + std::clamp(x, 0, across - 1))];
  };
  const auto code = [&](int x, int y) {
    const Vector& v = at(x, y);
    double value = 0;
    if (kind == motion::MotionMask::kLength) value = std::floor(std::hypot(v.x, v.y) + 1e-9);
    if (kind == motion::MotionMask::kFit) value = v.sad;
    if (kind == motion::MotionMask::kOcclusion)
      value = std::max(
          {0, at(x - 1, y).x - v.x, v.x - at(x + 1, y).x, at(x, y - 1).y - v.y, v.y - at(x, y + 1).y});
    return std::min(255.0, std::floor(value * 255 / full));
  };
  Picture picture({format.width, format.height, Chroma::kGray, 8});
  const auto index = [&](int sample, int blocks) {
    return std::clamp((sample + 0.5 - grid.block / 2.0) / grid.step(), 0.0, double(blocks - 1));
  };
  for (int y = 0; y < format.height; y++)
    for (int x = 0; x < format.width; x++) {
      const double bx = index(x, across), by = index(y, down);
      const int left = int(bx), upper = int(by);
      const double right = bx - left, lower = by - upper;
      const auto there = [&](int i, int j) {
        return code(std::min(left + i, across - 1), std::min(upper + j, down - 1));
      };
      picture.at(0, x, y) =
          uint16_t(std::floor((there(0, 0) * (1 - right) + there(1, 0) * right) * (1 - lower) +
                              (there(0, 1) * (1 - right) + there(1, 1) * right) * lower + 0.5));
    }
  return picture;
}

}  // namespace weft::filters::plain
