// SPDX-License-Identifier: Apache-2.0
// Computes the memory layout of pictures: planes at aligned offsets in a frame.
#pragma once

#include <array>
#include <cstddef>

#include "base/video_format.h"
#include "server/device/device.h"

namespace weft::graph {

struct PlaneLayout {
  size_t offset_bytes = 0;  // bytes from the start of the frame
  int stride_bytes = 0;     // bytes from a row to the next
  int width = 0;            // in samples
  int height = 0;
};

// Rows start at multiples of kRowAlignment bytes, planes and frames at multiples of
// kPlaneAlignment. Both chroma planes have the same stride. The padding between a row's last sample
// and the next multiple of kRowAlignment has undefined content: a filter that processes whole words
// may read and write the padding.
struct FrameLayout {
  static constexpr size_t kRowAlignment = 64;
  static constexpr size_t kPlaneAlignment = 256;

  VideoFormat format;
  std::array<PlaneLayout, 3> planes;  // the first format.planes() elements are valid
  size_t frame_bytes = 0;

  // Returns the layout of `format` with `padding_bytes` (a multiple of kRowAlignment) after each
  // row and each plane. Only tests use padding.
  static FrameLayout of(const VideoFormat& format, size_t padding_bytes = 0);
};

constexpr size_t divide_up(size_t value, size_t by) { return (value + by - 1) / by; }
constexpr size_t round_up(size_t value, size_t multiple) { return divide_up(value, multiple) * multiple; }

inline FrameLayout FrameLayout::of(const VideoFormat& format, size_t padding_bytes) {
  FrameLayout layout;
  layout.format = format;
  for (int plane = 0; plane < format.planes(); plane++) {
    PlaneLayout& plane_layout = layout.planes[size_t(plane)];
    plane_layout.width = format.plane_width(plane);
    plane_layout.height = format.plane_height(plane);
    const size_t row_bytes = size_t(plane_layout.width) * size_t(format.sample_bytes());
    plane_layout.stride_bytes = int(round_up(row_bytes, kRowAlignment) + padding_bytes);
    plane_layout.offset_bytes = layout.frame_bytes;
    layout.frame_bytes = round_up(
        layout.frame_bytes + size_t(plane_layout.stride_bytes) * size_t(plane_layout.height) + padding_bytes,
        kPlaneAlignment);
  }
  return layout;
}

}  // namespace weft::graph
