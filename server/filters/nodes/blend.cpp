// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/blend.h"

#include "kernels/picture/blend.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/resize_kernels.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters {

StatusOr<Port> add_blend(const FilterContext& context, Network& network, Port a, Port b, Port mask,
                         BlendPlanes planes) {
  using Params = kernels::blend::Params;
  const VideoFormat format = network.format(a).video;
  const ChromaOffset chroma = chroma_offset(v1::CHROMA_POSITION_AUTO, network.properties(a).chroma_siting);
  const int columns = columns_of_chroma(format.chroma), rows = rows_of_chroma(format.chroma);
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "blend";
  parts.descriptor.inputs = {Window{}, Window{}, Window{}};
  parts.descriptor.cost.frames_read = 2.7;
  parts.descriptor.cost.operations = 60;
  parts.complete = [=](const Step& step, Params& params) {
    params.other = step.shape->inputs[1];
    params.mask = step.shape->inputs[2];
    params.mask_stride = step.inputs[2]->frame.planes[0].stride_bytes;
    params.blended_planes = planes == BlendPlanes::kAll ? format.planes() : 1;
    params.columns = columns;
    params.rows = rows;
    params.half_right = int(2 * chroma.x) * (columns - 1);
    params.half_down = int(2 * chroma.y) * (rows - 1);
  };
  return add_frame_node<Params>(context, network, {a, b, mask}, "picture/blend", std::move(parts));
}

}  // namespace weft::filters
