// SPDX-License-Identifier: Apache-2.0
// Model of the edge sharpener, written from its definition. Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "tests/filter_suite/clip.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

// Returns the samples of a row or a column at most `reach` from the sample at `x`, `y`.
inline std::vector<int> line_of(const Picture& picture, int plane, int x, int y, int reach, bool is_down) {
  std::vector<int> line;
  for (int k = -reach; k <= reach; k++)
    line.push_back(picture.at(plane, x + (is_down ? 0 : k), y + (is_down ? k : 0)));
  return line;
}
inline int range_of(const std::vector<int>& line) {
  return *std::ranges::max_element(line) - *std::ranges::min_element(line);
}

// Returns the fraction of the strength that applies to an edge: numerator and denominator.
inline std::pair<int64_t, int64_t> edge_factor(const std::vector<int>& line, bool is_repaired) {
  if (!is_repaired) return {1, 1};
  int64_t step = 0, range = range_of(line);
  for (size_t i = 1; i < line.size(); i++) step = std::max<int64_t>(step, std::abs(line[i] - line[i - 1]));
  // clamp((0.55 - step / range) * 10, 0, 1) - clamp((0.35 - step / range) * 10, 0, 1), times 20
  // range
  const int64_t upper = std::clamp<int64_t>((55 * range - 100 * step) * 2, 0, 20 * range);
  const int64_t lower = std::clamp<int64_t>((35 * range - 100 * step) * 2, 0, 20 * range);
  return {upper - lower, 20 * range};
}

inline Picture edges_levelled(const v1::EdgeLevel& options, const Picture& picture) {
  Picture result = picture;
  const bool is_repaired = options.repair() > 0;
  const int reach = is_repaired ? 3 : 2;
  const int threshold = int(options.threshold() * double(1 << picture.format.bit_depth) / 256 + 0.5);
  const int planes = options.chroma_strength() > 0 ? picture.format.planes() : 1;
  for (int plane = 0; plane < planes; plane++)
    for (int y = reach; y < picture.format.height - reach; y++)
      for (int x = reach; x < picture.format.width - reach; x++) {
        const auto across = line_of(picture, 0, x, y, reach, false),
                   down = line_of(picture, 0, x, y, reach, true);
        const bool is_down = range_of(down) > range_of(across);
        const auto& edge = is_down ? down : across;
        if (range_of(edge) <= threshold) continue;
        const auto own = line_of(picture, plane, x, y, reach, is_down);
        const auto [low, high] = std::ranges::minmax(own);
        const auto [share, whole] = edge_factor(edge, is_repaired);
        const int64_t away = picture.at(plane, x, y) - (low + high) / 2;
        const int64_t strength = plane == 0 ? options.strength() : options.chroma_strength();
        const int64_t moved = away * strength * share / (16 * whole);  // rounded towards zero
        result.at(plane, x, y) = uint16_t(std::clamp<int64_t>(picture.at(plane, x, y) + moved, low, high));
      }
  return result;
}

inline Picture edges_repaired(const Picture& last, const Picture& sharpened, const Picture& original) {
  Picture result = last;
  for (int plane = 0; plane < last.format.planes(); plane++)
    for (int y = 0; y < last.format.plane_height(plane); y++)
      for (int x = 0; x < last.format.plane_width(plane); x++) {
        const int value = sharpened.at(plane, x, y);
        if (value == original.at(plane, x, y)) continue;
        std::vector<int> around;
        for (int v = -1; v <= 1; v++)
          for (int u = -1; u <= 1; u++)
            if (u != 0 || v != 0) around.push_back(last.at(plane, x + u, y + v));
        std::ranges::sort(around);
        const int own = last.at(plane, x, y);
        result.at(plane, x, y) =
            uint16_t(std::clamp(value, std::min(around[2], own), std::max(around[5], own)));
      }
  return result;
}

inline Clip edgelevel(const v1::EdgeLevel& options, const Clip& clip) {
  Clip result = clip;
  for (Picture& frame : result.frames) {
    const Picture original = frame;
    Picture sharpened = frame;
    for (int pass = 0; pass < (options.repair() + 1) / 2 || pass == 0; pass++)
      sharpened = edges_levelled(options, sharpened);
    if (options.repair() == 0) frame = sharpened;
    for (int pass = 0; pass < options.repair(); pass++) frame = edges_repaired(frame, sharpened, original);
  }
  return result;
}

}  // namespace weft::filters::plain
