// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/texture/encode_bc1.kernel"
#include "kernels/texture/encode_bc7.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using EncodeBc1Params = kernels::encode_bc1::Params;
using EncodeBc7Params = kernels::encode_bc7::Params;

template <class Params>
StatusOr<Port> add_block_rows(const FilterContext& context, Network& network, Port texels,
                              const BlockImage& image, std::string_view kernel, double operations,
                              const std::function<void(Params&)>& complete) {
  typename RowsNode<Params>::Parts parts;
  parts.descriptor.name = "encode";
  parts.descriptor.outputs = {blocks_format(image)};
  parts.shape = {uint32_t(image.blocks_x()), image.blocks_y(), operations};
  parts.complete = [image, complete](const Step& step, int unit, Params& params) {
    params.source = source_of<decltype(params.source)>(step, unit);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.width = image.width;
    params.height = image.height;
    params.blocks_x = image.blocks_x();
    params.blocks_y = image.blocks_y();
    complete(params);
  };
  return add_rows_node<Params>(context, network, {texels}, kernel, std::move(parts));
}

}  // namespace

StatusOr<Port> add_encoder(const FilterContext& context, Network& network, Port texels,
                           const BlockImage& image, int quality) {
  if (image.is_plain()) return texels;
  // Operations per block, by quality.
  constexpr std::array kBc7Operations = {5e3, 4e4, 1e5};
  constexpr std::array kOperations = {3e3, 2e4, 5e4};
  const int plain = image.format & 7;
  if (plain == BLOCKS_BC7)
    return add_block_rows<EncodeBc7Params>(context, network, texels, image, "texture/encode_bc7",
                                           kBc7Operations[size_t(quality)],
                                           [quality](EncodeBc7Params& params) { params.quality = quality; });
  if (plain == BLOCKS_BC2 || (image.format & BLOCKS_SIGNED) != 0)
    return unimplemented("Blocks of this format (number {}) are not made.", image.format);
  return add_block_rows<EncodeBc1Params>(context, network, texels, image, "texture/encode_bc1",
                                         kOperations[size_t(quality)],
                                         [quality, format = image.format](EncodeBc1Params& params) {
                                           params.format = format;
                                           params.quality = quality;
                                         });
}

}  // namespace weft::filters::texture
