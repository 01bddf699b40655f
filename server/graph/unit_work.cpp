// SPDX-License-Identifier: Apache-2.0
#include "server/graph/unit_work.h"

namespace weft::graph {
namespace {

double traffic_of(const PortFormat& format) {
  switch (format.kind) {
    case PortKind::kPicture:
      return double(format.video.packed_bytes());
    case PortKind::kPixels:
      return double(format.width) * format.height * double(bytes_of_pixel(format.pixels));
    case PortKind::kTensor:
    case PortKind::kBytes:
      break;
  }
  return double(format.bytes);
}

double samples_worked_on(const PortFormat& format) {
  if (format.kind == PortKind::kPixels) return 4.0 * format.width * format.height;
  if (format.kind == PortKind::kTensor) return traffic_of(format) / double(bytes_of(format.tensor.type));
  const int sample_bytes = format.kind == PortKind::kPicture ? format.video.sample_bytes() : 1;
  return traffic_of(format) / sample_bytes;
}

}  // namespace

NetworkWork unit_work(const Network& network) {
  NetworkWork work;
  for (const Network::NodeInfo& info : network.nodes()) {
    const NodeDescriptor& node = info.node->descriptor();
    const PortFormat& input = network.ports()[size_t(info.inputs[0])].format;
    const PortFormat& output = node.outputs.empty() ? input : node.outputs[0];
    const PortFormat& counted = output.kind == PortKind::kBytes ? input : output;
    const Rate rate = rate_of(network.clocks(), info.clock);
    const double units = double(rate.numerator) / rate.denominator;
    const CostShape& cost = node.cost;
    work.bytes += units * (cost.frames_read * traffic_of(input) + cost.frames_written * traffic_of(output));
    work.operations += units * (cost.operations * samples_worked_on(counted) + cost.unit_operations);
    work.launches += units;
  }
  return work;
}

}  // namespace weft::graph
