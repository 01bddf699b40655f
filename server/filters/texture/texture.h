// SPDX-License-Identifier: Apache-2.0
// Adds nodes of textures that convert blocks to texels and back. A unit is one image: a level of a
// face of a layer.
//
//   const Port source = network.set_source(blocks_format({BLOCKS_BC7, 2048, 2048}));
//   ASSIGN_OR_RETURN(const Port texels, add_decoder(context, network, source, image));
//
// Texels are RGBA8, red first, rows without gaps. These nodes compute with integers, so every
// device produces the same bytes.
#pragma once

#include <array>
#include <memory>

#include "kernels/texture/formats.h"
#include "server/filters/filter.h"

namespace weft::filters::texture {

inline constexpr int kTexelBytes = 4;

// An image in blocks, or texels.
struct BlockImage {
  int format = BLOCKS_BC7;  // BLOCKS_... with flags
  int width = 1;
  int height = 1;

  int blocks_x() const { return (width + 3) / 4; }
  int blocks_y() const { return (height + 3) / 4; }
  int block_bytes() const {
    const int plain = format & 7;
    return plain == BLOCKS_BC1 || plain == BLOCKS_BC4 ? 8 : 16;
  }
  bool is_plain() const { return (format & 7) == BLOCKS_NONE; }
  size_t bytes() const {
    if (is_plain()) return size_t(width) * size_t(height) * kTexelBytes;
    return size_t(blocks_x()) * size_t(blocks_y()) * size_t(block_bytes());
  }
};

PortFormat blocks_format(const BlockImage& image);
PortFormat texels_format(int width, int height);

// Decodes an image's blocks to texels. Texels without blocks are returned unchanged. NOT_FOUND: the
// device has no such kernel.
StatusOr<Port> add_decoder(const FilterContext& context, Network& network, Port blocks,
                           const BlockImage& image);

// Encodes texels as blocks, or returns the texels if the image has no blocks. `quality` is a
// QUALITY_... of the kernels. NOT_FOUND: the device has no such kernel. UNIMPLEMENTED: the format
// has no encoder.
StatusOr<Port> add_encoder(const FilterContext& context, Network& network, Port texels,
                           const BlockImage& image, int quality);

// A reordering of texels and channels (flip, swizzle), applied before all other steps.
struct Arrangement {
  bool from_right = false;                     // rows of the input begin at the right
  bool from_below = false;                     // the first row of the input is the lowest
  std::array<int, 4> channels = {0, 1, 2, 3};  // source channels of RGBA, or ARRANGE_...

  bool operator==(const Arrangement&) const = default;
};
StatusOr<Port> add_arranger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Arrangement& arrangement);

// The storage of the source's texels. It is an input of the networks, because each block format
// causes a different noise.
enum class TexelSource { kTexels, kBc7, kBc1, kBc5 };  // kBc1: also BC2 and BC3; kBc5: also BC4
TexelSource texel_source_of(int blocks);               // `blocks`: BLOCKS_...

struct LargeNetwork;  // large_network.h

struct TileSize {
  int columns = 0, rows = 0;
};

struct Enlargement {
  bool is_normal = false;     // texels are vectors, and unit lengths are kept
  int border = BORDER_CLAMP;  // a BORDER_...
  int passes = 1;             // passes of back-projection, at least 1
  // network that corrects red, green and blue; null: no correction
  std::shared_ptr<const LargeNetwork> network{};
  TexelSource source = TexelSource::kTexels;
  TileSize tile{};  // size of the network's tiles; {}: a size suitable for the device
};
// Returns the texels after `passes` passes of back-projection, as values for enlargement.
StatusOr<Port> add_refined(const FilterContext& context, Network& network, Port texels, int width, int height,
                           int border, int passes);
// Returns texels of twice the width and height. The mean of the four texels of a source texel
// equals that texel in code values, except for normals of unit length. With a network, single
// texels may differ by a code value between devices; without one, all devices produce the same
// texels.
StatusOr<Port> add_enlarger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Enlargement& options);

// Returns the next smaller level, with sides halved and rounded down. `mean` is a LEVEL_MEAN_...
StatusOr<Port> add_halver(const FilterContext& context, Network& network, Port texels, int width, int height,
                          int mean);

// Returns the same normals, with their gloss in alpha, relative to the level below: the root of the
// loss in the inverse of the specular power, from 0 to 1 (M. Toksvig, "Mipmapping Normal Maps",
// 2005; kernels/texture/gloss.kernel). Without a gain alpha is 0.
StatusOr<Port> add_gloss(const FilterContext& context, Network& network, Port texels, int width, int height,
                         bool has_gain);

}  // namespace weft::filters::texture
