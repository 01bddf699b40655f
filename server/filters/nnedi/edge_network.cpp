// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nnedi/edge_network.h"

namespace weft::filters::nnedi {
namespace {

constexpr std::string_view kEdgeVersion = "edi-1";

// What a network of so many channels has.
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
  ASSIGN_OR_RETURN(networks::Tensors tensors, networks::Tensors::open(file));
  RETURN_IF_ERROR(tensors.expect_version(kEdgeVersion));
  EdgeNetwork network;
  ASSIGN_OR_RETURN(network.name, tensors.metadata("name"));
  ASSIGN_OR_RETURN(network.prescreen, tensors.number("prescreen", 255));
  ASSIGN_OR_RETURN(const double channels, tensors.number("channels", 1024));
  for (const Shape& shape : kShapes)
    if (channels == shape.channels) {
      network.channels = shape.channels;
      network.body.resize(size_t(shape.body));
    }
  const int side = network.channels;
  if (side == 0) return networks::refuse_network("it has {} channels in place of 16 or 32", channels);
  ASSIGN_OR_RETURN(network.date, tensors.metadata("date"));
  ASSIGN_OR_RETURN(network.head, tensors.take_layer("head", {1, side, 4, 7, {}, {}}));
  for (size_t i = 0; i < network.body.size(); i++) {
    ASSIGN_OR_RETURN(network.body[i],
                     tensors.take_layer(fmt::format("body.{}", i), {side, side, 3, 3, {}, {}}));
  }
  ASSIGN_OR_RETURN(network.tail, tensors.take_layer("tail", {side, 1, 3, 3, {}, {}}));
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::span<const std::byte>> built_in_network(std::string_view name) {
  return networks::built_in_file(fmt::format("edi_{}", name));
}

}  // namespace weft::filters::nnedi
