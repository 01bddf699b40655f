// SPDX-License-Identifier: Apache-2.0
// The networks `small`, that make the blocks of a texture of twice the size: their weights, out of the files that the program was built with.
// training/texture/small_network.py is the definition; models/README.md says in words what they compute.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/filter.h"
#include "server/filters/networks/network_file.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

// A submode of BC7: a mode with its partition, or its rotation and index selector. Or BC1 or BC5, as modes behind those of BC7 (SMALL_BC1, SMALL_BC5).
struct Submode {
  int mode = 6, pattern = 0, rotation = 0, selector = 0;

  // Of a network: the ends' channels, then an index a texel, or two.
  int outputs() const;
  bool operator==(const Submode&) const = default;
};

// "6", "1/13" (mode, partition), "5/1" (mode, rotation), "4/1/0" (mode, rotation, selector), "bc1" or "bc5". INVALID_ARGUMENT: it is none that opaque texels
// have.
StatusOr<Submode> parse_submode(std::string_view text);

// Makes the blocks of one submode.
struct SubmodeNetwork {
  Submode submode;
  std::vector<networks::NetworkLayer> layers;  // five
  std::vector<float> sources;  // [TexelSource][outputs of the first layer], added to its biases
};

struct SmallNetwork {
  networks::NetworkTitle title;
  std::vector<networks::NetworkLayer> predictor;  // three
  std::vector<SubmodeNetwork> submodes;           // of BC7, as the predictor's outputs
  std::vector<SubmodeNetwork> formats;            // BC1, BC5
};

// INVALID_ARGUMENT: the file is none of such networks, and why.
StatusOr<SmallNetwork> parse_small_network(std::span<const std::byte> file);

// The program's own for "albedo", "normal" or "mask"; it is read once, and kept. NOT_FOUND: it was built without. Any thread.
StatusOr<std::shared_ptr<const SmallNetwork>> built_in_small_network(std::string_view kind);

// Whether the networks make blocks of it: BLOCKS_BC7, BLOCKS_BC1 and BLOCKS_BC5, not signed.
bool small_makes(int format);

// Blocks of twice the size; `format` is one that small_makes. `quality`, a QUALITY_..., is of those with alpha, which the search makes.
StatusOr<Port> add_small(const FilterContext& context, Network& network, Port texels, int width, int height,
                         int format, const Enlargement& options, const SmallNetwork& weights, int quality);

}  // namespace weft::filters::texture
