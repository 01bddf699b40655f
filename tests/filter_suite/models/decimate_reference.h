// SPDX-License-Identifier: Apache-2.0
// Model of the removal of repeated pictures, written from its definition. It shares no code with
// the filter. Only tests include it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tests/filter_suite/clip.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters::plain {

// Returns the largest sum of absolute differences over blocks of 32x32 luma samples.
inline int64_t block_difference(const Picture& a, const Picture& b) {
  int64_t most = 0;
  for (int top = 0; top < a.format.height; top += 32)
    for (int left = 0; left < a.format.width; left += 32) {
      int64_t sum = 0;
      for (int y = top; y < std::min(top + 32, a.format.height); y++)
        for (int x = left; x < std::min(left + 32, a.format.width); x++)
          sum += std::abs(a.at(0, x, y) - b.at(0, x, y));
      most = std::max(most, sum);
    }
  return most;
}

inline Clip decimate(const v1::Decimate& options, const Clip& clip) {
  Clip result{clip.format, {}, {}};
  const int count = int(clip.frames.size()), cycle = options.cycle();
  std::vector<int64_t> differences;
  for (int i = 0; i < count; i++) {
    const bool has_before = i > 0 && !clip.infos[size_t(i)].discontinuity;
    differences.push_back(has_before ? block_difference(clip.frames[size_t(i)], clip.frames[size_t(i - 1)])
                                     : std::numeric_limits<int64_t>::max());
  }
  bool cut = false;
  for (int i = 0; i < count; i++) {
    const int begin = i / cycle * cycle;
    int dropped = -1;
    if (begin + cycle <= count) {
      const auto first = differences.begin() + begin;
      dropped = begin + int(std::min_element(first, first + cycle) - first);
    }
    cut = cut || clip.infos[size_t(i)].discontinuity;
    if (i == dropped) continue;
    result.frames.push_back(clip.frames[size_t(i)]);
    result.infos.push_back(clip.infos[size_t(i)]);
    result.infos.back().discontinuity = cut && result.infos.size() > 1;
    cut = false;
  }
  return result;
}

}  // namespace weft::filters::plain
