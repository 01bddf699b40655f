// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/degrain.kernel"

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weighted_node.h"

namespace weft::filters::motion {

namespace {

using DegrainParams = kernels::degrain::Params;

}  // namespace

StatusOr<Port> Motion::add_degrain(const FilterContext& context, Network& network, Port pictures, Port super,
                                   Port vectors, const DegrainOptions& options) const {
  uint32_t fields = 0;
  for (int distance = 1; distance <= options.radius; distance++)
    fields |= options.sides == Sides::kBefore  ? field_before(distance)
              : options.sides == Sides::kAfter ? field_after(distance)
                                               : fields_at(distance);
  ASSIGN_OR_RETURN(BlockWeights weights,
                   BlockWeights::of(context, geometry_, words_, fields,
                                    {options.cut_threshold, options.cut_share, options.chroma}));
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "motion/degrain", format_));
  NodeDescriptor descriptor;
  descriptor.name = "degrain";
  descriptor.inputs = {Window(),
                       {.before = options.sides == Sides::kAfter ? 0 : options.radius,
                        .after = options.sides == Sides::kBefore ? 0 : options.radius},
                       Window()};
  descriptor.outputs = {network.format(pictures)};
  descriptor.cost.frames_read = 2 + weights.fields();
  descriptor.cost.operations = 210 * weights.fields();
  return network.add(std::make_unique<WeightedNode<DegrainParams>>(WeightedNode<DegrainParams>::Parts{
                         .descriptor = std::move(descriptor),
                         .words = words_,
                         .weights = std::move(weights),
                         .kernel = kernel,
                         .run = samples_of_lane(context),
                         .weigh = [options](const BlockWeights& of, device::Stream& stream,
                                            const Step& step) { of.enqueue_weights(stream, step, options); },
                         .complete =
                             [options](const Step& step, DegrainParams& params) {
                               params.super = step.shape->inputs[1];
                               params.limit = options.limit;
                               params.chroma_limit = options.chroma_limit;
                             }}),
                     {pictures, super, vectors});
}

}  // namespace weft::filters::motion
