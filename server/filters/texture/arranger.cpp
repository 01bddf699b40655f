// SPDX-License-Identifier: Apache-2.0
#include "kernels/texture/arrange.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using ArrangeParams = kernels::arrange::Params;

constexpr double kArrangeOperations = 20;  // operations per texel

}  // namespace

StatusOr<Port> add_arranger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Arrangement& arrangement) {
  RowsNode<ArrangeParams>::Parts parts;
  parts.descriptor.name = "arrange";
  parts.descriptor.outputs = {texels_format(width, height)};
  parts.shape = {uint32_t(width), height, kArrangeOperations};
  parts.complete = [=](const Step& step, int unit, ArrangeParams& params) {
    params.source = source_of<decltype(params.source)>(step, unit);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.width = width;
    params.height = height;
    params.from_right = arrangement.from_right ? 1 : 0;
    params.from_below = arrangement.from_below ? 1 : 0;
    params.red = arrangement.channels[0];
    params.green = arrangement.channels[1];
    params.blue = arrangement.channels[2];
    params.alpha = arrangement.channels[3];
  };
  return add_rows_node<ArrangeParams>(context, network, {texels}, "texture/arrange", std::move(parts));
}

}  // namespace weft::filters::texture
