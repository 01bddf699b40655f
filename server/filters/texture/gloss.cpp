// SPDX-License-Identifier: Apache-2.0
#include "kernels/texture/gloss.kernel"

#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using GlossParams = kernels::gloss::Params;

constexpr double kGlossOperations = 200;  // operations per lane

}  // namespace

StatusOr<Port> add_gloss(const FilterContext& context, Network& network, Port texels, int width, int height,
                         bool has_gain) {
  RowsNode<GlossParams>::Parts parts;
  parts.descriptor.name = "gloss";
  parts.descriptor.outputs = {texels_format(width, height)};
  parts.shape = {uint32_t(width + 1) / 2, (height + 1) / 2, kGlossOperations};
  parts.complete = [=](const Step& step, int unit, GlossParams& params) {
    params.source = source_of<decltype(params.source)>(step, unit);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.width = width;
    params.height = height;
    params.has_gain = has_gain ? 1 : 0;
  };
  return add_rows_node<GlossParams>(context, network, {texels}, "texture/gloss", std::move(parts));
}

}  // namespace weft::filters::texture
