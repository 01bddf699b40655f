// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/large_network.h"

namespace weft::filters::texture {
namespace {

constexpr std::string_view kLargeVersion = "texture-1";

}  // namespace

networks::NetworkLayer LargeNetwork::head_of(TexelSource source) const {
  networks::NetworkLayer layer = head;
  for (size_t i = 0; i < layer.biases.size(); i++)
    layer.biases[i] += sources[size_t(source) * size_t(kLargeChannels) + i];
  return layer;
}

StatusOr<LargeNetwork> parse_large_network(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(networks::Tensors tensors, networks::Tensors::open(file, kLargeVersion));
  LargeNetwork network;
  ASSIGN_OR_RETURN(network.title, tensors.title());
  ASSIGN_OR_RETURN(network.head, tensors.take_layer("head", {kLargeInputs, kLargeChannels, 3, 3}));
  ASSIGN_OR_RETURN(network.sources, tensors.take("source", {kTexelSources, kLargeChannels}));
  ASSIGN_OR_RETURN(const double blocks, tensors.number("blocks", 1, kMostLargeBlocks));
  const std::vector<networks::NetworkLayer> body(2 * size_t(blocks), {kLargeChannels, kLargeChannels, 3, 3});
  ASSIGN_OR_RETURN(network.body, tensors.take_layers("body", body));
  ASSIGN_OR_RETURN(network.tail, tensors.take_layer("tail", {kLargeChannels, kLargeOutputs, 3, 3}));
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::shared_ptr<const LargeNetwork>> built_in_large_network(std::string_view kind) {
  return networks::built_in_network<LargeNetwork>(fmt::format("texture_{}", kind), parse_large_network);
}

}  // namespace weft::filters::texture
