// SPDX-License-Identifier: Apache-2.0
#include "bench/filters/material.h"

#include <cstdint>
#include <cstring>

namespace weft::bench {

void draw(std::byte* frame, const graph::FrameLayout& layout, int number) {
  const int bytes = layout.format.sample_bytes(), shift = layout.format.bit_depth - 8;
  uint32_t random = uint32_t(number) * 2654435761u + 1;
  for (int plane = 0; plane < layout.format.planes(); plane++) {
    const graph::PlaneLayout& plane_layout = layout.planes[size_t(plane)];
    for (int y = 0; y < plane_layout.height; y++) {
      std::byte* row = frame + plane_layout.offset_bytes + size_t(y) * size_t(plane_layout.stride_bytes);
      for (int x = 0; x < plane_layout.width; x++) {
        random = random * 1664525u + 1013904223u;
        const int t = 2 * number + (y & 1);
        const int base = ((x + 3 * t) / 37 + y / 23) % 2 != 0 ? 190 - x % 37 : 60 + y % 23;
        const uint16_t value = uint16_t((base + int(random >> 29)) << shift);
        std::memcpy(row + x * bytes, &value, size_t(bytes));
      }
    }
  }
}

void draw_all(std::byte* frames, const graph::FrameLayout& layout) {
  for (int i = 0; i < kDrawnFrames; i++) draw(frames + size_t(i) * layout.frame_bytes, layout, i);
}

}  // namespace weft::bench
