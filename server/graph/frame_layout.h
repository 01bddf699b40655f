// SPDX-License-Identifier: Apache-2.0
// How pictures lie in buffers: planes inside a frame at aligned offsets, frames at a constant distance.
#pragma once

#include <array>
#include <cstddef>

#include "base/video_format.h"
#include "server/device/device.h"

namespace weft::graph {

struct PlaneLayout {
  size_t offset_bytes = 0;  // from the frame's begin
  int stride_bytes = 0;     // from a row to the next
  int width = 0;            // samples
  int height = 0;
};

// Rows begin at multiples of kRowAlignment bytes, planes and frames at multiples of kPlaneAlignment. Both chroma planes
// have the same stride. What lies between a row's last sample and the next multiple of kRowAlignment means nothing:
// filters that work on whole words may read and write it.
struct FrameLayout {
  static constexpr size_t kRowAlignment = 64;
  static constexpr size_t kPlaneAlignment = 256;

  VideoFormat format;
  std::array<PlaneLayout, 3> planes;  // the first format.planes() count
  size_t frame_bytes = 0;

  // `padding_bytes` (a multiple of kRowAlignment) is left free after each row and after each plane; nothing but tests
  // wants any.
  static FrameLayout of(const VideoFormat& format, size_t padding_bytes = 0);
};

constexpr size_t divide_up(size_t value, size_t by) { return (value + by - 1) / by; }
constexpr size_t round_up(size_t value, size_t multiple) { return divide_up(value, multiple) * multiple; }

inline FrameLayout FrameLayout::of(const VideoFormat& format, size_t padding_bytes) {
  FrameLayout layout;
  layout.format = format;
  for (int plane = 0; plane < format.planes(); plane++) {
    PlaneLayout& place = layout.planes[size_t(plane)];
    place.width = format.plane_width(plane);
    place.height = format.plane_height(plane);
    const size_t row_bytes = size_t(place.width) * size_t(format.sample_bytes());
    place.stride_bytes = int(round_up(row_bytes, kRowAlignment) + padding_bytes);
    place.offset_bytes = layout.frame_bytes;
    layout.frame_bytes =
        round_up(layout.frame_bytes + size_t(place.stride_bytes) * size_t(place.height) + padding_bytes,
                 kPlaneAlignment);
  }
  return layout;
}

}  // namespace weft::graph
