// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "kernels/texture/halve.kernel"
#include "kernels/texture/refine.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/enlarge_params.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using RefineParams = kernels::refine::Params;
using HalveParams = kernels::halve::Params;

// operations per texel
constexpr double kRefineOperations = 150, kEnlargeOperations = 600, kHalveOperations = 100;
// Adds one pass of back-projection. `values` come from the previous pass; for the first pass they
// are the texels.
StatusOr<Port> add_refiner(const FilterContext& context, Network& network, Port texels, Port values,
                           bool is_first, int width, int height, int border) {
  RowsNode<RefineParams>::Parts parts;
  parts.descriptor.name = "refine";
  parts.descriptor.outputs = {
      PortFormat::of({.width = width, .height = height, .channels = 4, .type = ElementType::kInt16})};
  parts.shape = tiled_shape(width, height, kRefineOperations);
  parts.complete = [=](const Step& step, int unit, RefineParams& params) {
    params.texels = source_of<decltype(params.texels)>(step, unit);
    params.before = source_of<decltype(params.before)>(step, unit, 1);
    params.after = target_of<decltype(params.after)>(step, unit);
    params.is_first = is_first ? 1 : 0;
    params.width = width;
    params.height = height;
    params.border = border;
  };
  return add_rows_node<RefineParams>(context, network, {texels, values}, "texture/refine", std::move(parts),
                                     kTileBytes);
}

}  // namespace

StatusOr<Port> add_refined(const FilterContext& context, Network& network, Port texels, int width, int height,
                           int border, int passes) {
  Port values = texels;
  for (int pass = 0; pass < std::max(passes, 1); pass++) {
    ASSIGN_OR_RETURN(values, add_refiner(context, network, texels, values, pass == 0, width, height, border));
  }
  return values;
}

StatusOr<Port> add_enlarger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Enlargement& options) {
  ASSIGN_OR_RETURN(const Port values,
                   add_refined(context, network, texels, width, height, options.border, options.passes));
  if (options.network != nullptr) return add_large(context, network, texels, values, width, height, options);
  RowsNode<EnlargeParams>::Parts parts;
  parts.descriptor.name = "enlarge";
  parts.descriptor.outputs = {texels_format(2 * width, 2 * height)};
  parts.shape = tiled_shape(width, height, kEnlargeOperations);
  parts.complete = [width, height, options](const Step& step, int unit, EnlargeParams& params) {
    params.texels = source_of<decltype(params.texels)>(step, unit);
    params.values = source_of<decltype(params.values)>(step, unit, 1);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.width = width;
    params.height = height;
    params.border = options.border;
    params.is_normal = options.is_normal ? 1 : 0;
    params.last_column = width;
  };
  return add_rows_node<EnlargeParams>(context, network, {texels, values}, "texture/enlarge", std::move(parts),
                                      kTileBytes);
}

StatusOr<Port> add_halver(const FilterContext& context, Network& network, Port texels, int width, int height,
                          int mean) {
  const int target_width = std::max(width / 2, 1), target_height = std::max(height / 2, 1);
  RowsNode<HalveParams>::Parts parts;
  parts.descriptor.name = "halve";
  parts.descriptor.outputs = {texels_format(target_width, target_height)};
  parts.shape = {uint32_t(target_width), target_height, kHalveOperations};
  parts.complete = [=](const Step& step, int unit, HalveParams& params) {
    params.source = source_of<decltype(params.source)>(step, unit);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.width = width;
    params.height = height;
    params.target_width = target_width;
    params.target_height = target_height;
    params.mean = mean;
  };
  return add_rows_node<HalveParams>(context, network, {texels}, "texture/halve", std::move(parts));
}

}  // namespace weft::filters::texture
