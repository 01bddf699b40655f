// SPDX-License-Identifier: Apache-2.0
// Registers the temporal noise reduction.
#include "kernels/picture/temporal_nr.kernel"

#include "server/filters/nodes/picture_node.h"
#include "server/filters/nodes/threshold.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::temporal_nr::Params;

StatusOr<Port> expand(const FilterContext& context, const v1::TemporalNr& options, Network& network,
                      Port input) {
  const int distance = options.distance();
  const int threshold = threshold_of(options.threshold(), network.format(input).video);
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "temporal_nr";
  parts.descriptor.inputs = {Window{distance, distance}};
  parts.descriptor.cost.frames_read = 2 * distance + 1;
  parts.descriptor.cost.operations = 60 * parts.descriptor.cost.frames_read;
  parts.complete = [=](const Step&, Params& params) {
    params.distance = distance;
    params.threshold = threshold;
  };
  return add_frame_node<Params>(context, network, {input}, "picture/temporal_nr", std::move(parts));
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"distance: 1 threshold: 9.7", {64, 48, Chroma::k422, 10}},
    {"distance: 5 threshold: 90", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kTemporalNr;
const Registration kTemporalNr = registration<v1::TemporalNr, expand>({}, kCases);

}  // namespace weft::filters::registered
