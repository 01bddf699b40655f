// SPDX-License-Identifier: Apache-2.0
// Model of bwdif, written from its definition. It shares no code with the kernel. Only tests
// include it.
#pragma once

#include "tests/filter_suite/models/reference_fields.h"

namespace weft::filters::plain {

inline int bwdif_interpolated(const Task& task, int x, int y) {
  const Plane& c = task.current;
  const auto both = [&](int line) { return task.before()(x, line) + task.after()(x, line); };
  const int near = c(x, y - 1) + c(x, y + 1), far = c(x, y - 3) + c(x, y + 3);
  if (std::abs(c(x, y - 1) - c(x, y + 1)) <= std::abs(task.before()(x, y) - task.after()(x, y)))
    return (5077 * near - 981 * far) >> 13;
  const int in_time =
      5570 * both(y) - 3801 * (both(y - 2) + both(y + 2)) + 1016 * (both(y - 4) + both(y + 4));
  return ((in_time >> 2) + 4309 * near - 213 * far) >> 13;
}

// FFmpeg mirrors at the border by the sample's size in bytes.
inline int bwdif_sample(const Task& task, int x, int y) {
  const Plane& c = task.current;
  const int height = c.height(), bytes = c.picture->format.sample_bytes();
  const int maximum = (1 << c.picture->format.bit_depth) - 1;
  const int up = y >= bytes ? y - 1 : y + 1;
  const int down = y + bytes < height ? y + 1 : y - 1;
  if (task.is_spatial) {
    const int up3 = y >= 3 * bytes ? y - 3 : y + 1;
    const int down3 = y + 3 * bytes < height ? y + 3 : y - 1;
    return std::clamp((5077 * (c(x, up) + c(x, down)) - 981 * (c(x, up3) + c(x, down3))) >> 13, 0, maximum);
  }
  int reach = change(task, x, y, up, down);
  const int d = task.mean(x, y);
  if (reach == 0) return d;
  const bool is_border = y < 4 || y + 5 > height;
  if (y >= 2 && y + 3 <= height) {
    const int b = task.mean(x, y - 2) - c(x, up), f = task.mean(x, y + 2) - c(x, down);
    const int highest = std::max({d - c(x, down), d - c(x, up), std::min(b, f)});
    const int lowest = std::min({d - c(x, down), d - c(x, up), std::max(b, f)});
    reach = std::max({reach, lowest, -highest});
  }
  const int value = is_border ? (c(x, up) + c(x, down)) >> 1 : bwdif_interpolated(task, x, y);
  return std::clamp(std::max(d - reach, std::min(d + reach, value)), 0, maximum);
}

inline Clip bwdif(const v1::Bwdif& options, const Clip& clip) {
  return deinterlaced(options, clip, bwdif_sample);
}

}  // namespace weft::filters::plain
