// SPDX-License-Identifier: Apache-2.0
// Registers edgelevel, which sharpens edges.
#include "kernels/picture/edgelevel.kernel"

#include "kernels/picture/edge_repair.kernel"
#include "server/filters/nodes/picture_node.h"
#include "server/filters/nodes/threshold.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> add_levels(const FilterContext& context, const v1::EdgeLevel& options, Network& network,
                          Port input) {
  using Params = kernels::edgelevel::Params;
  const VideoFormat& format = network.format(input).video;
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "edgelevel";
  parts.descriptor.cost.operations = 350;
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {network.format(input)};
  parts.run = run_of(context);
  parts.complete = [strength = options.strength(), chroma_strength = options.chroma_strength(),
                    threshold = threshold_of(options.threshold(), format)](const Step&, Params& params) {
    params.strength = strength;
    params.chroma_strength = chroma_strength;
    params.threshold = threshold;
  };
  const char* variant = options.repair() > 0 ? ".gradual" : "";
  ASSIGN_OR_RETURN(parts.kernel,
                   context.load(fmt::format("picture/edgelevel.{}{}", sample_name(format), variant)));
  return network.add(std::make_unique<FrameNode<Params>>(std::move(parts)), {input});
}

// Adds a repair. `last` is the result of the previous repair.
StatusOr<Port> add_repair(const FilterContext& context, Network& network, Port last, Port sharpened,
                          Port original) {
  using Params = kernels::edge_repair::Params;
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "edge_repair";
  parts.descriptor.inputs = {Window{}, Window{}, Window{}};
  parts.descriptor.cost.frames_read = 3;
  parts.descriptor.cost.operations = 100;
  parts.complete = [](const Step& step, Params& params) {
    params.sharpened = step.shape->inputs[1];
    params.original = step.shape->inputs[2];
  };
  return add_frame_node<Params>(context, network, {last, sharpened, original}, "picture/edge_repair",
                                std::move(parts));
}

StatusOr<Port> expand(const FilterContext& context, const v1::EdgeLevel& options, Network& network,
                      Port input) {
  const Chroma chroma = network.format(input).video.chroma;
  if (options.chroma_strength() > 0 && chroma != Chroma::k444)
    return context.blame(
        "chroma_strength",
        invalid_argument(
            "Luma decides where chroma is sharpened, which takes as many chroma samples as luma has, and the "
            "video is {}; convert it to 4:4:4 first, or leave 'chroma_strength' at 0.",
            name_of(chroma)));
  Port sharpened = input;
  for (int pass = 0; pass < std::max((options.repair() + 1) / 2, 1); pass++) {
    ASSIGN_OR_RETURN(sharpened, add_levels(context, options, network, sharpened));
  }
  if (options.repair() == 0) return sharpened;
  Port last = input;
  for (int pass = 0; pass < options.repair(); pass++) {
    ASSIGN_OR_RETURN(last, add_repair(context, network, last, sharpened, input));
  }
  return last;
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"strength: 31 threshold: 3.3 repair: 1", {64, 48, Chroma::k422, 10}},
    {"strength: 200 repair: 5 threshold: 0", {97, 65, Chroma::k420, 8}},
    {"chroma_strength: 20 repair: 2", {37, 50, Chroma::k444, 16}},
    {"chroma_strength: 9 strength: 0", {37, 50, Chroma::k444, 8}},
};

}  // namespace

extern const Registration kEdgeLevel;
const Registration kEdgeLevel = registration<v1::EdgeLevel, expand>({}, kCases);

}  // namespace weft::filters::registered
