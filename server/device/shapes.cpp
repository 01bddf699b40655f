// SPDX-License-Identifier: Apache-2.0
#include "server/device/shapes.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace weft::device {

std::vector<BlockShape> shapes_of(const kernels::KernelImage& image, const DeviceInfo& info) {
  const BlockShape declared = {image.signature.block_x, image.signature.block_y};
  std::vector<BlockShape> shapes = {declared};
  if (!image.is_tunable) return shapes;
  const uint32_t most = std::min(declared.x * declared.y, info.max_block_lanes);
  for (const uint32_t x : {32u, 64u, 128u, 256u})
    for (uint32_t y = 1; x * y <= most; y *= 2)
      if (const BlockShape shape = {x, y}; shape != declared) shapes.push_back(shape);
  return shapes;
}

int size_class_of(Grid grid) {
  // The number of lanes has up to 93 bits.
  const uint64_t plane = uint64_t{grid.x} * grid.y;
  __extension__ using Wide = unsigned __int128;
  const Wide lanes = Wide{plane} * grid.z;
  const auto high = static_cast<uint64_t>(lanes >> 64);
  return high != 0 ? 63 + int(std::bit_width(high)) : int(std::bit_width(static_cast<uint64_t>(lanes))) - 1;
}

std::string to_string(BlockShape shape) { return fmt::format("{}x{}", shape.x, shape.y); }

std::optional<BlockShape> read_shape(std::string_view text) {
  BlockShape shape;
  const char* const end = text.data() + text.size();
  const auto [past_x, fault_x] = std::from_chars(text.data(), end, shape.x);
  if (fault_x != std::errc() || past_x == end || *past_x != 'x') return std::nullopt;
  const auto [past_y, fault_y] = std::from_chars(past_x + 1, end, shape.y);
  if (fault_y != std::errc() || past_y != end || shape.x == 0 || shape.y == 0) return std::nullopt;
  return shape;
}

}  // namespace weft::device
