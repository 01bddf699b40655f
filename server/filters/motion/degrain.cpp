// SPDX-License-Identifier: Apache-2.0
#include "kernels/motion/degrain.kernel"

#include "kernels/motion/weights.kernel"
#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

namespace {

using DegrainParams = kernels::degrain::Params;
using Weights = kernels::weights::Params;

constexpr int kKindsOfPlanes = 2;  // luma, chroma

class Degrain final : public Node {
 public:
  struct Kernels {
    const device::Kernel *weights, *degrain;
  };
  Degrain(const PortFormat& pictures, const Geometry& geometry, Constants words, const Kernels& kernels,
          const DegrainOptions& options, int run)
      : format_(pictures.video),
        geometry_(geometry),
        words_(std::move(words)),
        kernels_(kernels),
        options_(options),
        fields_(2 * options.radius),
        run_(run) {
    descriptor_.name = "degrain";
    descriptor_.inputs = {Window(), Window{options.radius, options.radius}, Window()};
    descriptor_.outputs = {pictures};
    descriptor_.cost.frames_read = 2 + fields_;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return counts_bytes(units) + size_t(units) * weights_bytes();
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    stream.fill(*step.scratch, 0, counts_bytes(step.units), std::byte{0});
    const auto blocks = uint32_t(geometry_.levels()[0].blocks());
    Weights weights = weights_params(step);
    weights.task = TASK_COUNT;
    stream.launch(*kernels_.weights, {blocks, uint32_t(fields_), uint32_t(step.units)}, weights);
    weights.task = TASK_WEIGHTS;
    stream.launch(*kernels_.weights, {blocks, uint32_t(kKindsOfPlanes), uint32_t(step.units)}, weights);

    auto params = frame_params<DegrainParams>(step, run_);
    params.geometry = device::at<decltype(DegrainParams::geometry)>(*words_);
    params.weights = device::at<decltype(DegrainParams::weights)>(*step.scratch, counts_bytes(step.units));
    params.super = step.shape->inputs[1];
    params.vectors = step.shape->inputs[2];
    params.fields = fields_;
    params.limit = options_.limit;
    params.chroma_limit = options_.chroma_limit;
    stream.launch(*kernels_.degrain, picture_grid(format_, step.units, run_), params);
  }

 private:
  size_t counts_bytes(int units) const {
    return round_up(size_t(units) * size_t(fields_) * sizeof(int32_t), FrameLayout::kPlaneAlignment);
  }
  size_t weights_bytes() const {
    return size_t(geometry_.levels()[0].blocks()) * size_t(1 + fields_) * kKindsOfPlanes * sizeof(int32_t);
  }

  Weights weights_params(const Step& step) const {
    Weights params = {};
    params.arena = device::at<decltype(Weights::arena)>(*step.arena);
    params.table = device::at<decltype(Weights::table)>(*step.table, step.table_offset_bytes);
    params.counts = device::at<decltype(Weights::counts)>(*step.scratch);
    params.weights = device::at<decltype(Weights::weights)>(*step.scratch, counts_bytes(step.units));
    params.row = step.shape->ints;
    params.vectors = step.shape->inputs[2];
    params.place = int(kPlaceBytes / sizeof(int32_t));
    params.blocks = geometry_.levels()[0].blocks();
    params.fields = fields_;
    params.cut_sad = geometry_.for_block(options_.cut_threshold, options_.chroma);
    params.cut_blocks = int(options_.cut_share * params.blocks);
    params.threshold = geometry_.for_block(options_.threshold, options_.chroma);
    params.chroma_threshold = geometry_.for_block(options_.chroma_threshold, options_.chroma);
    params.binomial = options_.binomial ? 1 : 0;
    return params;
  }

  VideoFormat format_;
  Geometry geometry_;
  Constants words_;
  Kernels kernels_;
  DegrainOptions options_;
  int fields_;
  int run_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Port> Motion::add_degrain(const FilterContext& context, Network& network, Port pictures, Port super,
                                   Port vectors, const DegrainOptions& options) const {
  Degrain::Kernels kernels{};
  ASSIGN_OR_RETURN(kernels.weights, context.load("motion/weights"));
  ASSIGN_OR_RETURN(kernels.degrain, load_for(context, "motion/degrain", format_));
  return network.add(std::make_unique<Degrain>(network.format(pictures), geometry_, words_, kernels, options,
                                               run_of(context)),
                     {pictures, super, vectors});
}

}  // namespace weft::filters::motion
