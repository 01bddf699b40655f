// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/place_node.h"

#include "kernels/picture/place.kernel"
#include "server/filters/nodes/pixel_pass.h"

namespace weft::filters {

StatusOr<Port> add_placing(const FilterContext& context, Network& network, Port input, std::string_view name,
                           const Placing& placing) {
  using Params = kernels::place::Params;
  const PortFormat& format = network.format(input);
  LayoutNode<Params>::Parts parts;
  parts.descriptor.name = name;
  parts.descriptor.cost.operations = 4;
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {resized(format, placing.size)};
  ASSIGN_OR_RETURN(const Constants fill, make_constants(context, placing.fill));
  const bool is_picture = format.kind == PortKind::kPicture;
  const int columns = is_picture ? columns_of_chroma(format.video.chroma) : 1;
  const int rows = is_picture ? rows_of_chroma(format.video.chroma) : 1;
  parts.complete = [=, x = placing.x, y = placing.y, mirrors = placing.mirrors_rows](const Step&,
                                                                                     Params& params) {
    params.fill = device::at<kernels::place::Plane>(*fill);
    params.x = x;
    params.y = y;
    params.chroma_x = x / columns;
    params.chroma_y = y / rows;
    params.mirrors_rows = mirrors ? 1 : 0;
  };
  const std::string kernel = fmt::format("picture/place.{}", element_name(format));
  ASSIGN_OR_RETURN(const Port placed,
                   add_layout_node<Params>(context, network, {input}, kernel, std::move(parts)));
  return with_result_pixels(context, network, placed);
}

}  // namespace weft::filters
