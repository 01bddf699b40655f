// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/flow_blur.kernel"

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

namespace {

using FlowBlurParams = kernels::flow_blur::Params;

constexpr int kEveryBlock =
    0x7fffffff / 64;  // a threshold that every block of a picture that counts is below

class FlowBlur final : public Node {
 public:
  FlowBlur(const PortFormat& pictures, Constants words, BlockWeights weights, const device::Kernel* kernel,
           const BlurOptions& options, int run)
      : format_(pictures.video),
        words_(std::move(words)),
        weights_(std::move(weights)),
        kernel_(kernel),
        options_(options),
        run_(run) {
    descriptor_.name = "flow_blur";
    descriptor_.inputs = {Window(), Window(), Window()};
    descriptor_.outputs = {pictures};
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override { return weights_.scratch_bytes(units); }

  void enqueue(device::Stream& stream, const Step& step) override {
    weights_.enqueue_fits(stream, step, kEveryBlock);
    auto params = frame_params<FlowBlurParams>(step, run_);
    params.geometry = device::at<decltype(FlowBlurParams::geometry)>(*words_);
    params.weights =
        device::at<decltype(FlowBlurParams::weights)>(*step.scratch, weights_.weights_offset(step.units));
    params.vectors = step.shape->inputs[2];
    params.fields = weights_.fields();
    params.amount = options_.amount;
    params.limit = options_.limit;
    stream.launch(*kernel_, picture_grid(format_, step.units, run_), params);
  }

 private:
  VideoFormat format_;
  Constants words_;
  BlockWeights weights_;
  const device::Kernel* kernel_;
  BlurOptions options_;
  int run_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Port> Motion::add_flow_blur(const FilterContext& context, Network& network, Port pictures,
                                     Port vectors, const BlurOptions& options) const {
  ASSIGN_OR_RETURN(BlockWeights weights,
                   BlockWeights::of(context, geometry_, words_, fields_at(1),
                                    {options.cut_threshold, options.cut_share, options.chroma}));
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "motion/flow_blur", format_));
  return network.add(std::make_unique<FlowBlur>(network.format(pictures), words_, std::move(weights), kernel,
                                                options, run_of(context)),
                     {pictures, pictures, vectors});
}

}  // namespace weft::filters::motion
