// SPDX-License-Identifier: Apache-2.0
// Reads the weights of the networks `large` for upsampling textures by two, from files that the
// program was built with. Definition: training/texture/network.py; description: models/README.md.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/filter.h"
#include "server/filters/networks/network_file.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

inline constexpr int kLargeChannels = 64;
inline constexpr int kLargeInputs = 3, kLargeOutputs = 12;
inline constexpr int kMostLargeBlocks = 16;  // residual blocks

inline constexpr int kTexelSources = 4;  // number of values of TexelSource

struct LargeNetwork {
  networks::NetworkTitle title;
  networks::NetworkLayer head, tail;
  // pairs of layers; the result of a pair is added to its input
  std::vector<networks::NetworkLayer> body;
  // [kTexelSources][kLargeChannels], added to the head's biases
  std::vector<float> sources;

  // Returns the head for texels with this storage.
  networks::NetworkLayer head_of(TexelSource source) const;
  // Returns the number of texels around a texel that its result depends on.
  int margin() const { return int(body.size()) + 2; }
};

// Parses a file. INVALID_ARGUMENT: the file is not such a network; the message has the reason.
StatusOr<LargeNetwork> parse_large_network(std::span<const std::byte> file);

// Returns the program's network for "albedo", "normal" or "mask", which is read once and kept.
// NOT_FOUND: the program was built without it. Thread-safe.
StatusOr<std::shared_ptr<const LargeNetwork>> built_in_large_network(std::string_view kind);

// Returns texels of twice the size. `values` are the texels after back-projection.
StatusOr<Port> add_large(const FilterContext& context, Network& network, Port texels, Port values, int width,
                         int height, const Enlargement& options);

}  // namespace weft::filters::texture
