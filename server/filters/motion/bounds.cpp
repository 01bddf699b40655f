// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/bounds.kernel"

#include <bit>

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weighted_node.h"

namespace weft::filters::motion {

namespace {

using BoundsParams = kernels::bounds::Params;

NodeDescriptor descriptor_of(const PortFormat& pictures, size_t outputs, const CompensateOptions& options) {
  NodeDescriptor descriptor;
  descriptor.name = outputs == 1 ? "compensate" : "compensate_bounds";
  Window window;
  for (int distance = 1; distance <= kMaxRadius; distance++) {
    if ((options.fields & field_before(distance)) != 0) window.before = distance;
    if ((options.fields & field_after(distance)) != 0) window.after = distance;
  }
  descriptor.inputs = {Window(), window, Window()};
  descriptor.outputs.assign(outputs, pictures);
  descriptor.cost.frames_read = 1 + std::popcount(options.fields);
  descriptor.cost.operations = 330 * std::popcount(options.fields);
  descriptor.cost.frames_written = double(outputs);
  return descriptor;
}

}  // namespace

StatusOr<std::vector<Port>> Motion::add_compensated(const FilterContext& context, Network& network,
                                                    std::span<const Port> inputs, int outputs,
                                                    const CompensateOptions& options) const {
  ASSIGN_OR_RETURN(BlockWeights weights,
                   BlockWeights::of(context, geometry_, words_, options.fields,
                                    {options.cut_threshold, options.cut_share, options.chroma}));
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "motion/bounds", format_));
  const PictureProperties properties = network.properties(inputs[0]);
  ASSIGN_OR_RETURN(
      std::vector<Port> made,
      network.add_node(
          std::make_unique<WeightedNode<BoundsParams>>(WeightedNode<BoundsParams>::Parts{
              .descriptor = descriptor_of(network.format(inputs[0]), size_t(outputs), options),
              .words = words_,
              .weights = std::move(weights),
              .kernel = kernel,
              .run = samples_of_lane(context),
              .weigh = [options](const BlockWeights& of, device::Stream& stream,
                                 const Step& step) { of.enqueue_fits(stream, step, options.threshold); },
              .complete =
                  [options, outputs](const Step& step, BoundsParams& params) {
                    params.super = step.shape->inputs[1];
                    params.wanted = int(options.fields);
                    params.low = step.shape->targets[0];
                    params.high = outputs == 1 ? -1 : step.shape->targets[1];
                  }}),
          inputs));
  for (const Port port : made) network.set_properties(port, properties);
  return made;
}

StatusOr<Port> Motion::add_compensate(const FilterContext& context, Network& network, Port pictures,
                                      Port super, Port vectors, const CompensateOptions& options) const {
  CompensateOptions one = options;
  one.fields &= -one.fields;
  const Port inputs[] = {pictures, super, vectors};
  ASSIGN_OR_RETURN(const std::vector<Port> made, add_compensated(context, network, inputs, 1, one));
  return made[0];
}

StatusOr<Motion::Bounds> Motion::add_bounds(const FilterContext& context, Network& network, Port pictures,
                                            Port super, Port vectors,
                                            const CompensateOptions& options) const {
  const Port inputs[] = {pictures, super, vectors};
  ASSIGN_OR_RETURN(const std::vector<Port> made, add_compensated(context, network, inputs, 2, options));
  return Bounds{made[0], made[1]};
}

}  // namespace weft::filters::motion
