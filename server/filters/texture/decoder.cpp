// SPDX-License-Identifier: Apache-2.0
#include "kernels/texture/decode.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using DecodeParams = kernels::decode::Params;

}  // namespace

PortFormat blocks_format(const BlockImage& image) {
  if (image.is_plain()) return texels_format(image.width, image.height);
  return PortFormat::data(fmt::format("blocks of BC{}", image.format & 7), image.bytes());
}

PortFormat texels_format(int width, int height) {
  return PortFormat::data("texels", size_t(width) * size_t(height) * kTexelBytes);
}

TexelSource texel_source_of(int blocks) {
  switch (blocks & 7) {
    case BLOCKS_NONE:
      return TexelSource::kTexels;
    case BLOCKS_BC7:
      return TexelSource::kBc7;
    case BLOCKS_BC4:
    case BLOCKS_BC5:
      return TexelSource::kBc5;
    default:
      return TexelSource::kBc1;
  }
}

StatusOr<Port> add_decoder(const FilterContext& context, Network& network, Port blocks,
                           const BlockImage& image) {
  if (image.is_plain()) return blocks;
  RowsNode<DecodeParams>::Parts parts;
  parts.descriptor.name = "decode";
  parts.descriptor.outputs = {texels_format(image.width, image.height)};
  constexpr double kOperations = 100;  // operations per texel
  parts.shape = {uint32_t(image.width), image.height, kOperations};
  parts.complete = [image](const Step& step, int unit, DecodeParams& params) {
    params.source = source_of<decltype(params.source)>(step, unit);
    params.target = target_of<decltype(params.target)>(step, unit);
    params.format = image.format;
    params.width = image.width;
    params.height = image.height;
    params.blocks_x = image.blocks_x();
  };
  return add_rows_node<DecodeParams>(context, network, {blocks}, "texture/decode", std::move(parts));
}

}  // namespace weft::filters::texture
