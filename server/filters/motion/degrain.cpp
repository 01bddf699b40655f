// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/degrain.kernel"

#include "server/filters/motion/motion.h"
#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

namespace {

using DegrainParams = kernels::degrain::Params;

class Degrain final : public Node {
 public:
  Degrain(const PortFormat& pictures, Constants words, BlockWeights weights, const device::Kernel* kernel,
          const DegrainOptions& options, int run)
      : format_(pictures.video),
        words_(std::move(words)),
        weights_(std::move(weights)),
        kernel_(kernel),
        options_(options),
        run_(run) {
    descriptor_.name = "degrain";
    descriptor_.inputs = {Window(),
                          {.before = options.sides == Sides::kAfter ? 0 : options.radius,
                           .after = options.sides == Sides::kBefore ? 0 : options.radius},
                          Window()};
    descriptor_.outputs = {pictures};
    descriptor_.cost.frames_read = 2 + weights_.fields();
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override { return weights_.scratch_bytes(units); }

  void enqueue(device::Stream& stream, const Step& step) override {
    weights_.enqueue_weights(stream, step, options_);

    auto params = frame_params<DegrainParams>(step, run_);
    params.geometry = device::at<decltype(DegrainParams::geometry)>(*words_);
    params.weights =
        device::at<decltype(DegrainParams::weights)>(*step.scratch, weights_.weights_offset(step.units));
    params.super = step.shape->inputs[1];
    params.fields = weights_.fields();
    params.limit = options_.limit;
    params.chroma_limit = options_.chroma_limit;
    stream.launch(*kernel_, picture_grid(format_, step.units, run_), params);
  }

 private:
  VideoFormat format_;
  Constants words_;
  BlockWeights weights_;
  const device::Kernel* kernel_;
  DegrainOptions options_;
  int run_;
  NodeDescriptor descriptor_;
};

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
  return network.add(std::make_unique<Degrain>(network.format(pictures), words_, std::move(weights), kernel,
                                               options, samples_of_lane(context)),
                     {pictures, super, vectors});
}

}  // namespace weft::filters::motion
