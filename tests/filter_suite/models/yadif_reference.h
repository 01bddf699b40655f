// SPDX-License-Identifier: Apache-2.0
// Model of yadif, written from its definition. It shares no code with the kernel. Only tests
// include it.
#pragma once

#include "tests/filter_suite/models/reference_fields.h"

namespace weft::filters::plain {

inline int yadif_direction(const Task& task, int x, int up, int down) {
  const Plane& c = task.current;
  const auto score = [&](int j) {
    int sum = 0;
    for (int i = -1; i <= 1; i++) sum += std::abs(c(x + i + j, up) - c(x + i - j, down));
    return sum;
  };
  int best = score(0) - 1, direction = 0;
  for (const int side : {-1, 1})
    for (const int j : {side, 2 * side}) {
      if (score(j) >= best) break;
      best = score(j);
      direction = j;
    }
  return (c(x + direction, up) + c(x - direction, down)) >> 1;
}

inline int yadif_sample(const Task& task, int x, int y) {
  const int height = task.current.height(), width = task.current.width();
  const int up = y > 0 ? y - 1 : y + 1;
  const int down = y + 1 < height ? y + 1 : y - 1;
  int value = (task.current(x, up) + task.current(x, down)) >> 1;
  if (x >= 3 && x < width - 3) value = yadif_direction(task, x, up, down);
  int reach = change(task, x, y, up, down);
  if (task.checks && y != 1 && y + 2 != height) reach = widened(task, x, y, up, down, reach);
  const int d = task.mean(x, y);
  return std::max(d - reach, std::min(d + reach, value));
}

inline Clip yadif(const v1::Yadif& options, const Clip& clip) {
  return deinterlaced(options, clip, yadif_sample, !options.has_spatial_check() || options.spatial_check());
}

}  // namespace weft::filters::plain
