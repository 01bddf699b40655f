// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/layout_node.h"

#include <algorithm>

namespace weft::filters {

StatusOr<Constants> make_constants(device::Device& device, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(std::shared_ptr<device::Buffer> made,
                   device.allocate(device::MemoryKind::kDevice, bytes.size()));
  ASSIGN_OR_RETURN(const auto staged, device.allocate(device::MemoryKind::kUpload, bytes.size()));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  std::ranges::copy(bytes, staged->host());
  stream->copy(*made, 0, *staged, 0, bytes.size());
  RETURN_IF_ERROR(stream->wait_all());
  return Constants(std::move(made));
}

StatusOr<Constants> make_constants(const FilterContext& context, std::span<const std::byte> bytes) {
  if (context.constant_bytes != nullptr) *context.constant_bytes += bytes.size();
  return context.device == nullptr ? Constants() : make_constants(*context.device, bytes);
}

device::Grid grid_of(const PortFormat& format, int units, int run) {
  if (format.kind == PortKind::kPicture) return picture_grid(format.video, units, run);
  return {uint32_t((format.width + run - 1) / run), uint32_t(format.height), uint32_t(units)};
}

int element_bytes(const PortFormat& format) {
  if (format.kind == PortKind::kPicture) return format.video.sample_bytes();
  return format.kind == PortKind::kPixels ? int(bytes_of_pixel(format.pixels)) : 1;
}

std::string_view element_name(const PortFormat& format) {
  if (format.kind == PortKind::kPicture) return sample_name(format.video);
  return format.pixels == PixelType::kHalf ? "uvec2" : "uvec4";
}

}  // namespace weft::filters
