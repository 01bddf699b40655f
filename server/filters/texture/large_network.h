// SPDX-License-Identifier: Apache-2.0
// The networks `large`, that double a texture: their weights, out of the files that the program was built with. training/texture/network.py is
// the definition; models/README.md says in words what they compute.
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
inline constexpr int kMostLargeBlocks = 16;  // residual ones

inline constexpr int kTexelSources = 4;  // TexelSource

struct LargeNetwork {
  networks::NetworkTitle title;
  networks::NetworkLayer head, tail;
  std::vector<networks::NetworkLayer> body;  // pairs, each of which is added to what went in
  std::vector<float> sources;                // [kTexelSources][kLargeChannels], added to the head's biases

  // The head for texels that were stored like this.
  networks::NetworkLayer head_of(TexelSource source) const;
  // Texels that are seen around a texel.
  int margin() const { return int(body.size()) + 2; }
};

// INVALID_ARGUMENT: the file is none of such a network, and why.
StatusOr<LargeNetwork> parse_large_network(std::span<const std::byte> file);

// The program's own for "albedo", "normal" or "mask"; it is read once, and kept. NOT_FOUND: it was built without. Any thread.
StatusOr<std::shared_ptr<const LargeNetwork>> built_in_large_network(std::string_view kind);

// Texels of twice the size; `values` are the texels after back-projection.
StatusOr<Port> add_large(const FilterContext& context, Network& network, Port texels, Port values, int width,
                         int height, const Enlargement& options);

}  // namespace weft::filters::texture
