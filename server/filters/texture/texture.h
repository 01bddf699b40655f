// SPDX-License-Identifier: Apache-2.0
// Nodes of textures: blocks to texels and back. A unit is one image: a level of a face of a layer.
//
//   const Port source = network.set_source(blocks_format({BLOCKS_BC7, 2048, 2048}));
//   ASSIGN_OR_RETURN(const Port texels, add_decoder(context, network, source, {BLOCKS_BC7, 2048, 2048}));
//
// Texels are RGBA8, red first, rows without gaps. Everything here is integers: the same bytes on every device.
#pragma once

#include <array>
#include <memory>

#include "kernels/texture/formats.h"
#include "server/filters/filter.h"

namespace weft::filters::texture {

inline constexpr int kTexelBytes = 4;

// An image in blocks, or texels.
struct BlockImage {
  int format = BLOCKS_BC7;  // BLOCKS_... with its flags
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

// Texels of an image's blocks. NOT_FOUND: the device has no such kernel.
// The same texels where there are no blocks.
StatusOr<Port> add_decoder(const FilterContext& context, Network& network, Port blocks,
                           const BlockImage& image);

// Blocks of texels, or the texels where none are wanted; `quality` is a QUALITY_... of the kernels. NOT_FOUND as above, UNIMPLEMENTED: no blocks of that format are made.
StatusOr<Port> add_encoder(const FilterContext& context, Network& network, Port texels,
                           const BlockImage& image, int quality);

// Texels in another order, before anything else is done to them.
struct Arrangement {
  bool from_right = false;  // rows of what is given begin at the right
  bool from_below = false;  // the first row of what is given is the lowest
  std::array<int, 4> channels = {0, 1, 2,
                                 3};  // what red, green, blue and alpha are read from; ARRANGE_... too

  bool operator==(const Arrangement&) const = default;
};
StatusOr<Port> add_arranger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Arrangement& arrangement);

// How texels were stored before: networks are told, since blocks leave their own noise.
enum class TexelSource { kTexels, kBc7, kBc1, kBc5 };  // kBc1: BC2 and BC3 too; kBc5: BC4 too
TexelSource texel_source_of(int blocks);               // BLOCKS_...

struct LargeNetwork;  // large_network.h

struct TileSize {
  int columns = 0, rows = 0;
};

struct Enlargement {
  bool is_normal = false;     // vectors of unit length stay so
  int border = BORDER_CLAMP;  // BORDER_...
  int passes = 1;             // of back-projection, at least 1
  // What red, green and blue are corrected by; null: by nothing.
  std::shared_ptr<const LargeNetwork> network{};
  TexelSource source = TexelSource::kTexels;
  TileSize tile{};  // that the network works on at a time; {}: what suits the device
};
// The texels after so many passes of back-projection, as values that are doubled: what enlarging begins with.
StatusOr<Port> add_refined(const FilterContext& context, Network& network, Port texels, int width, int height,
                           int border, int passes);
// Texels of twice the width and height. The mean of the four that come of a texel is that texel, to the code, but for normals of unit length. With
// a network devices differ by a code here and there; without one the texels are the same everywhere.
StatusOr<Port> add_enlarger(const FilterContext& context, Network& network, Port texels, int width,
                            int height, const Enlargement& options);

// The next smaller level, sides halved and rounded down; `mean`: LEVEL_MEAN_...
StatusOr<Port> add_halver(const FilterContext& context, Network& network, Port texels, int width, int height,
                          int mean);

// The same normals, whose alpha says what gloss they gain over the level below: the root of what the inverse of the specular power loses, from 0 to
// 1 (M. Toksvig, "Mipmapping Normal Maps", 2005; kernels/texture/gloss.kernel). Without a gain alpha is 0.
StatusOr<Port> add_gloss(const FilterContext& context, Network& network, Port texels, int width, int height,
                         bool has_gain);

}  // namespace weft::filters::texture
