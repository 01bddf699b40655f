// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/bounds.kernel"

#include <bit>

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

namespace {

using BoundsParams = kernels::bounds::Params;

class Compensate final : public Node {
 public:
  Compensate(const PortFormat& pictures, int outputs, Constants words, BlockWeights weights,
             const device::Kernel* kernel, const CompensateOptions& options, int run)
      : format_(pictures.video),
        words_(std::move(words)),
        weights_(std::move(weights)),
        kernel_(kernel),
        options_(options),
        run_(run) {
    descriptor_.name = outputs == 1 ? "compensate" : "compensate_bounds";
    Window window;
    for (int field = 0; field < weights_.fields(); field++) {
      if ((options.fields >> field & 1) == 0) continue;
      (field % 2 == 0 ? window.before : window.after) = field / 2 + 1;
    }
    descriptor_.inputs = {Window(), window, Window()};
    descriptor_.outputs.assign(size_t(outputs), pictures);
    descriptor_.cost.frames_read = 1 + std::popcount(options.fields);
    descriptor_.cost.frames_written = outputs;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override { return weights_.scratch_bytes(units); }

  void enqueue(device::Stream& stream, const Step& step) override {
    weights_.enqueue_fits(stream, step, options_.threshold);
    auto params = frame_params<BoundsParams>(step, run_);
    params.geometry = device::at<decltype(BoundsParams::geometry)>(*words_);
    params.weights =
        device::at<decltype(BoundsParams::weights)>(*step.scratch, weights_.weights_offset(step.units));
    params.super = step.shape->inputs[1];
    params.fields = weights_.fields();
    params.wanted = int(options_.fields);
    params.low = step.shape->targets[0];
    params.high = descriptor_.outputs.size() == 1 ? -1 : step.shape->targets[1];
    stream.launch(*kernel_, picture_grid(format_, step.units, run_), params);
  }

 private:
  VideoFormat format_;
  Constants words_;
  BlockWeights weights_;
  const device::Kernel* kernel_;
  CompensateOptions options_;
  int run_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<std::vector<Port>> Motion::add_compensated(const FilterContext& context, Network& network,
                                                    std::span<const Port> inputs, int outputs,
                                                    const CompensateOptions& options) const {
  ASSIGN_OR_RETURN(BlockWeights weights,
                   BlockWeights::of(context, geometry_, words_, options.fields,
                                    {options.cut_threshold, options.cut_share, options.chroma}));
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "motion/bounds", format_));
  const PortFormat format = network.format(inputs[0]);
  const PictureProperties facts = network.facts(inputs[0]);
  ASSIGN_OR_RETURN(std::vector<Port> made,
                   network.add_node(std::make_unique<Compensate>(format, outputs, words_, std::move(weights),
                                                                 kernel, options, samples_of_lane(context)),
                                    inputs));
  for (const Port port : made) network.set_facts(port, facts);
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
