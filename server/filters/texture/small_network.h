// SPDX-License-Identifier: Apache-2.0
// Reads the weights of the networks `small`, which compute the blocks of a texture of twice the
// size, from files that the program was built with. Definition: training/texture/small_network.py;
// description: models/README.md.
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

// A submode of BC7: a mode with its partition, or with its rotation and index selector. BC1 and BC5
// are modes after those of BC7 (SMALL_BC1, SMALL_BC5).
struct Submode {
  int mode = 6, pattern = 0, rotation = 0, selector = 0;

  // Returns the number of outputs of a network: the channels of the endpoints, then one or two
  // indices per texel.
  int outputs() const;
  bool operator==(const Submode&) const = default;
};

// Parses "6", "1/13" (mode, partition), "5/1" (mode, rotation), "4/1/0" (mode, rotation, selector),
// "bc1" or "bc5". INVALID_ARGUMENT: opaque texels have no such submode.
StatusOr<Submode> parse_submode(std::string_view text);

// Computes the blocks of one submode.
struct SubmodeNetwork {
  Submode submode;
  std::vector<networks::NetworkLayer> layers;  // five layers
  std::vector<float> sources;  // [TexelSource][outputs of the first layer], added to its biases
};

struct SmallNetwork {
  networks::NetworkTitle title;
  std::vector<networks::NetworkLayer> predictor;  // three layers
  // networks for BC7, in the order of the predictor's outputs
  std::vector<SubmodeNetwork> submodes;
  std::vector<SubmodeNetwork> formats;  // networks for BC1 and BC5
};

// Parses a file. INVALID_ARGUMENT: the file does not contain such networks; the message has the
// reason.
StatusOr<SmallNetwork> parse_small_network(std::span<const std::byte> file);

// Returns the program's networks for "albedo", "normal" or "mask", which are read once and kept.
// NOT_FOUND: the program was built without them. Thread-safe.
StatusOr<std::shared_ptr<const SmallNetwork>> built_in_small_network(std::string_view kind);

// Returns true if the networks can compute blocks of this format: BLOCKS_BC7, BLOCKS_BC1 and
// BLOCKS_BC5, unsigned.
bool small_makes(int format);

// Returns the blocks of a texture of twice the size. small_makes(format) is true. The search, not a
// network, computes blocks with alpha; `quality`, a QUALITY_..., applies to them.
StatusOr<Port> add_small(const FilterContext& context, Network& network, Port texels, int width, int height,
                         int format, const Enlargement& options, const SmallNetwork& weights, int quality);

}  // namespace weft::filters::texture
