// SPDX-License-Identifier: Apache-2.0
// Copies units between a pipeline and the slots of a ring. In a slot, planes and levels have no
// gaps between them.
#pragma once

#include <cstddef>
#include <cstring>

#include "server/graph/pipeline.h"

namespace weft::worker {

// Copies the rows of a plane. Strides are in bytes.
inline void copy_plane(const std::byte* from, ptrdiff_t from_stride, std::byte* to, ptrdiff_t to_stride,
                       size_t row_bytes, int rows) {
  for (int row = 0; row < rows; row++) std::memcpy(to + row * to_stride, from + row * from_stride, row_bytes);
}

inline size_t row_bytes_of(const VideoFormat& format, int plane) {
  return size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
}

inline void copy_in(const graph::PortFormat& format, const std::byte* from, const graph::StagedUnit& staged) {
  if (format.kind == graph::PortKind::kBytes) {
    std::memcpy(staged.data[0], from, format.bytes);
    return;
  }
  for (int plane = 0; plane < format.video.planes(); plane++) {
    const size_t row_bytes = row_bytes_of(format.video, plane);
    const int rows = format.video.plane_height(plane);
    copy_plane(from, ptrdiff_t(row_bytes), staged.data[plane], staged.stride_bytes[plane], row_bytes, rows);
    from += row_bytes * size_t(rows);
  }
}

// Copies an output unit to a slot; a texture's further levels follow the first. The pipeline's
// memory for a level may be larger than the level.
inline void copy_out(const graph::Plan& plan, const graph::OutputUnit& picture, std::byte* to) {
  const auto format_of_output = [&](size_t i) -> const graph::PortFormat& {
    return plan.ports[size_t(plan.outputs[i])].layout.format;
  };
  const graph::PortFormat& format = format_of_output(0);
  if (format.kind == graph::PortKind::kBytes) {
    std::memcpy(to, picture.data[0], format.bytes);
    to += format.bytes;
    for (size_t i = 0; i < picture.others.size(); i++) {
      const size_t bytes = format_of_output(i + 1).bytes;
      std::memcpy(to, picture.others[i].data(), bytes);
      to += bytes;
    }
    return;
  }
  for (int plane = 0; plane < format.video.planes(); plane++) {
    const size_t row_bytes = row_bytes_of(format.video, plane);
    const int rows = format.video.plane_height(plane);
    copy_plane(picture.data[plane], picture.stride_bytes[plane], to, ptrdiff_t(row_bytes), row_bytes, rows);
    to += row_bytes * size_t(rows);
  }
}

}  // namespace weft::worker
