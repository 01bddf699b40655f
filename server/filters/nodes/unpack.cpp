// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/unpack.h"

#include "kernels/video/unpack.kernel"
#include "server/filters/nodes/picture_node.h"

namespace weft::filters {

StatusOr<Unpack> Unpack::make(device::Device& device, const FrameLayout& layout) {
  const FilterContext context{.device = &device};
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "video/unpack", layout.format));
  return Unpack(*kernel, layout, run_of(context));
}

bool Unpack::takes(const Surface& surface) const {
  if (surface.format != layout_.format || surface.chroma_step < 1 || surface.shift < 0 || surface.shift > 15)
    return false;
  const int bytes = layout_.format.sample_bytes();
  for (size_t plane = 0; plane < size_t(layout_.format.planes()); plane++) {
    const int step = plane == 0 ? 1 : surface.chroma_step;
    const int row_bytes = (layout_.planes[plane].width - 1) * step * bytes + bytes;
    if (surface.plane[plane] == 0 || surface.plane[plane] % uint64_t(bytes) != 0) return false;
    if (surface.stride_bytes[plane] % bytes != 0 || surface.stride_bytes[plane] < row_bytes) return false;
  }
  return layout_.format.planes() == 1 || surface.stride_bytes[1] == surface.stride_bytes[2];
}

void Unpack::enqueue(device::Stream& stream, const Surface& surface, const device::Buffer& buffer,
                     size_t offset_bytes) const {
  const int bytes = layout_.format.sample_bytes();
  const auto& planes = layout_.planes;
  using kernels::unpack::Plane;
  kernels::unpack::Params params = {};
  params.luma = device::at_address<Plane>(surface.plane[0]);
  params.chroma_1 = device::at_address<Plane>(surface.plane[1]);
  params.chroma_2 = device::at_address<Plane>(surface.plane[2]);
  params.target = device::at<Plane>(buffer, offset_bytes);
  params.source_stride = surface.stride_bytes[0] / bytes;
  params.source_chroma_stride = surface.stride_bytes[1] / bytes;
  params.chroma_step = surface.chroma_step;
  params.shift = surface.shift;
  params.plane_1 = int(planes[1].offset_bytes) / bytes;
  params.plane_2 = int(planes[2].offset_bytes) / bytes;
  params.stride = planes[0].stride_bytes / bytes;
  params.chroma_stride = planes[1].stride_bytes / bytes;
  params.width = planes[0].width;
  params.height = planes[0].height;
  params.chroma_width = planes[1].width;
  params.chroma_height = planes[1].height;
  params.run = run_;
  stream.launch(*kernel_, picture_grid(layout_.format, 1, run_), params);
}

}  // namespace weft::filters
