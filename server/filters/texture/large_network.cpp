// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/large_network.h"

#include <charconv>

namespace weft::filters::texture {
namespace {

constexpr std::string_view kLargeVersion = "texture-1";

StatusOr<int> blocks_of(const networks::Tensors& tensors) {
  ASSIGN_OR_RETURN(const std::string text, tensors.metadata("blocks"));
  int blocks = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), blocks);
  if (fault != std::errc() || end != text.data() + text.size() || blocks < 1 || blocks > kMostLargeBlocks)
    return invalid_argument("The network has '{}' residual blocks; there may be 1 to {}.", text,
                            kMostLargeBlocks);
  return blocks;
}

}  // namespace

networks::NetworkLayer LargeNetwork::head_of(TexelSource source) const {
  networks::NetworkLayer layer = head;
  for (size_t i = 0; i < layer.biases.size(); i++)
    layer.biases[i] += sources[size_t(source) * size_t(kLargeChannels) + i];
  return layer;
}

StatusOr<LargeNetwork> parse_large_network(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(networks::Tensors tensors, networks::Tensors::open(file));
  RETURN_IF_ERROR(tensors.expect_version(kLargeVersion));
  LargeNetwork network;
  ASSIGN_OR_RETURN(network.name, tensors.metadata("name"));
  ASSIGN_OR_RETURN(network.date, tensors.metadata("date"));
  ASSIGN_OR_RETURN(network.head, tensors.take_layer("head", {kLargeInputs, kLargeChannels, 3, 3}));
  ASSIGN_OR_RETURN(network.sources, tensors.take("source", {kTexelSources, kLargeChannels}));
  ASSIGN_OR_RETURN(const int blocks, blocks_of(tensors));
  network.body.resize(2 * size_t(blocks));
  for (size_t i = 0; i < network.body.size(); i++) {
    ASSIGN_OR_RETURN(network.body[i],
                     tensors.take_layer(fmt::format("body.{}", i), {kLargeChannels, kLargeChannels, 3, 3}));
  }
  ASSIGN_OR_RETURN(network.tail, tensors.take_layer("tail", {kLargeChannels, kLargeOutputs, 3, 3}));
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::shared_ptr<const LargeNetwork>> built_in_large_network(std::string_view kind) {
  return networks::built_in_network<LargeNetwork>(fmt::format("texture_{}", kind), parse_large_network);
}

}  // namespace weft::filters::texture
