// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nnedi/edge_network.h"

#include <algorithm>

namespace weft::filters::nnedi {
namespace {

constexpr std::string_view kEdgeVersion = "edi-1";

// The number of body layers of a network, by its number of channels.
struct Shape {
  int channels;
  int body;
};
constexpr Shape kShapes[] = {{16, 1}, {32, 6}};

}  // namespace

int EdgeNetwork::multiply_adds() const {
  size_t count = head.weights.size() + tail.weights.size();
  for (const networks::NetworkLayer& layer : body) count += layer.weights.size();
  return int(count);
}

StatusOr<EdgeNetwork> parse_edge_network(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(networks::Tensors tensors, networks::Tensors::open(file, kEdgeVersion));
  EdgeNetwork network;
  ASSIGN_OR_RETURN(network.prescreen, tensors.number("prescreen", 0, 255));
  ASSIGN_OR_RETURN(const double channels, tensors.number("channels", 0, 1024));
  const auto shape = std::ranges::find_if(kShapes, [&](const Shape& of) { return of.channels == channels; });
  if (shape == std::end(kShapes))
    return networks::refuse_network("it has {} channels in place of 16 or 32", channels);
  const int side = network.channels = shape->channels;
  ASSIGN_OR_RETURN(network.title, tensors.title());
  ASSIGN_OR_RETURN(network.head, tensors.take_layer("head", {1, side, 4, 7}));
  const std::vector<networks::NetworkLayer> body(size_t(shape->body), {side, side, 3, 3});
  ASSIGN_OR_RETURN(network.body, tensors.take_layers("body", body));
  ASSIGN_OR_RETURN(network.tail, tensors.take_layer("tail", {side, 1, 3, 3}));
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::shared_ptr<const EdgeNetwork>> built_in_edge_network(std::string_view name) {
  return networks::built_in_network<EdgeNetwork>(fmt::format("edi_{}", name), parse_edge_network);
}

}  // namespace weft::filters::nnedi
