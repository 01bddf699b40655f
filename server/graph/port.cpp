// SPDX-License-Identifier: Apache-2.0
#include "server/graph/port.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/graph/unit_table.h"

namespace weft::graph {

size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUint8:
      return 1;
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kHalf:
      return 2;
    case ElementType::kFloat:
      return 4;
  }
  return 0;
}

std::string_view name_of(ElementType type) {
  static constexpr std::string_view kNames[] = {"int8", "uint8", "int16", "uint16", "half", "float"};
  return kNames[size_t(type)];
}

size_t TensorShape::bytes() const {
  return round_up(size_t(width), size_t(tile_width)) * round_up(size_t(height), size_t(tile_height)) *
         size_t(channels) * bytes_of(type);
}

size_t TensorShape::offset(int x, int y, int channel) const {
  const size_t across = divide_up(size_t(width), size_t(tile_width));
  const size_t tile = size_t(y / tile_height) * across + size_t(x / tile_width);
  const size_t point = size_t(y % tile_height) * size_t(tile_width) + size_t(x % tile_width);
  return ((tile * size_t(tile_width) * size_t(tile_height) + point) * size_t(channels) + size_t(channel)) *
         bytes_of(type);
}

std::string PortFormat::text() const {
  switch (kind) {
    case PortKind::kPicture:
      return fmt::format("{}x{} {} {} bit", video.width, video.height, name_of(video.chroma),
                         video.bit_depth);
    case PortKind::kPixels:
      return fmt::format("{}x{} {}", width, height, name_of(pixels));
    case PortKind::kTensor: {
      const std::string shape =
          fmt::format("{}x{}x{} {}", tensor.width, tensor.height, tensor.channels, name_of(tensor.type));
      if (tensor.tile_width * tensor.tile_height == 1) return shape;
      return fmt::format("{} in tiles of {}x{}", shape, tensor.tile_width, tensor.tile_height);
    }
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
  const size_t bytes = format.kind == PortKind::kPixels
                           ? size_t(format.width) * size_t(format.height) * bytes_of_pixel(format.pixels)
                           : format.bytes;
  layout.unit_bytes = round_up(bytes + padding_bytes, FrameLayout::kPlaneAlignment);
  return layout;
}

void write_layout(const PortLayout& port, int32_t* words) {
  std::fill_n(words, LAYOUT_INTS, 0);
  words[12] = 1;
  if (port.format.kind == PortKind::kTensor) {
    words[1] = port.format.tensor.width * port.format.tensor.channels;
    words[2] = port.format.tensor.width;
    words[3] = port.format.tensor.height;
  }
  if (port.format.kind == PortKind::kPixels) {
    words[1] = words[2] = port.format.width;
    words[3] = port.format.height;
  }
  if (port.format.kind != PortKind::kPicture) return;
  const VideoFormat& video = port.format.video;
  for (int plane = 0; plane < video.planes(); plane++) {
    const PlaneLayout& plane_layout = port.frame.planes[size_t(plane)];
    words[plane * 4] = int32_t(plane_layout.offset_bytes) / video.sample_bytes();
    words[plane * 4 + 1] = plane_layout.stride_bytes / video.sample_bytes();
    words[plane * 4 + 2] = plane_layout.width;
    words[plane * 4 + 3] = plane_layout.height;
  }
  words[12] = video.planes();
  words[13] = (1 << video.bit_depth) - 1;
}

}  // namespace weft::graph
