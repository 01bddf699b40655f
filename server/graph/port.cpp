// SPDX-License-Identifier: Apache-2.0
#include "server/graph/port.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/graph/unit_table.h"

namespace weft::graph {

std::string PortFormat::text() const {
  switch (kind) {
    case PortKind::kPicture:
      return fmt::format("{}x{} {} {} bit", video.width, video.height, name_of(video.chroma),
                         video.bit_depth);
    case PortKind::kPixels:
      return fmt::format("{}x{} {}", width, height, name_of(pixels));
    case PortKind::kBytes:
      return fmt::format("{} of {} bytes", element, bytes);
  }
  return "";
}

PortLayout PortLayout::of(const PortFormat& format, size_t padding_bytes) {
  PortLayout layout{format, {}, 0};
  if (format.kind == PortKind::kPicture) {
    layout.frame = FrameLayout::of(format.video, padding_bytes);
    layout.unit_bytes = layout.frame.frame_bytes;
    return layout;
  }
  const size_t bytes = format.kind == PortKind::kBytes
                           ? format.bytes
                           : size_t(format.width) * size_t(format.height) * bytes_of_pixel(format.pixels);
  layout.unit_bytes = round_up(bytes + padding_bytes, FrameLayout::kPlaneAlignment);
  return layout;
}

void write_layout(const PortLayout& port, int32_t* words) {
  std::fill_n(words, LAYOUT_INTS, 0);
  words[12] = 1;
  if (port.format.kind == PortKind::kPixels) {
    words[1] = words[2] = port.format.width;
    words[3] = port.format.height;
  }
  if (port.format.kind != PortKind::kPicture) return;
  const VideoFormat& video = port.format.video;
  for (int plane = 0; plane < video.planes(); plane++) {
    const PlaneLayout& place = port.frame.planes[size_t(plane)];
    words[plane * 4] = int32_t(place.offset_bytes) / video.sample_bytes();
    words[plane * 4 + 1] = place.stride_bytes / video.sample_bytes();
    words[plane * 4 + 2] = place.width;
    words[plane * 4 + 3] = place.height;
  }
  words[12] = video.planes();
  words[13] = (1 << video.bit_depth) - 1;
}

}  // namespace weft::graph
