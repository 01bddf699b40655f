// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/flow_blur.kernel"

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weighted_node.h"

namespace weft::filters::motion {

namespace {

using FlowBlurParams = kernels::flow_blur::Params;

// threshold above the SAD of every block
constexpr int kEveryBlock = 0x7fffffff / 64;

}  // namespace

StatusOr<Port> Motion::add_flow_blur(const FilterContext& context, Network& network, Port pictures,
                                     Port vectors, const BlurOptions& options) const {
  ASSIGN_OR_RETURN(BlockWeights weights,
                   BlockWeights::of(context, geometry_, words_, fields_at(1),
                                    {options.cut_threshold, options.cut_share, options.chroma}));
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "motion/flow_blur", format_));
  NodeDescriptor descriptor;
  descriptor.name = "flow_blur";
  descriptor.cost.operations = 300;
  descriptor.inputs = {Window(), Window(), Window()};
  descriptor.outputs = {network.format(pictures)};
  return network.add(std::make_unique<WeightedNode<FlowBlurParams>>(WeightedNode<FlowBlurParams>::Parts{
                         .descriptor = std::move(descriptor),
                         .words = words_,
                         .weights = std::move(weights),
                         .kernel = kernel,
                         .run = run_of(context),
                         .weigh = [](const BlockWeights& of, device::Stream& stream,
                                     const Step& step) { of.enqueue_fits(stream, step, kEveryBlock); },
                         .complete =
                             [options](const Step& step, FlowBlurParams& params) {
                               params.vectors = step.shape->inputs[2];
                               params.amount = options.amount;
                               params.limit = options.limit;
                             }}),
                     {pictures, pictures, vectors});
}

}  // namespace weft::filters::motion
