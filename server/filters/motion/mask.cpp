// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/motion/motion_mask.kernel"
#include "server/filters/motion/motion.h"
#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

namespace {

using MaskParams = kernels::motion_mask::Params;

int kind_of(MotionMask mask) {
  return mask == MotionMask::kLength ? MASK_LENGTH : mask == MotionMask::kFit ? MASK_FIT : MASK_OCCLUSION;
}

class Mask final : public Node {
 public:
  Mask(const PortFormat& output, const Geometry& geometry, Constants words, const device::Kernel* kernel,
       BlockWeights counts, const MaskOptions& options, int run)
      : geometry_(geometry),
        words_(std::move(words)),
        kernel_(kernel),
        counts_(std::move(counts)),
        options_(options),
        run_(run) {
    descriptor_.name = "motion_mask";
    descriptor_.cost.operations = 100;
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {output};
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return counts_.weights_offset(units) + size_t(units) * size_t(blocks()) * sizeof(int32_t);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    counts_.enqueue_counts(stream, step, 0);
    MaskParams params = {};
    set_slot_params(step, run_, 1, params);
    params.geometry = device::at<decltype(MaskParams::geometry)>(*words_);
    params.codes = device::at<decltype(MaskParams::codes)>(*step.scratch, counts_.weights_offset(step.units));
    params.counts = device::at<decltype(MaskParams::counts)>(*step.scratch);
    params.kind = kind_of(options_.mask);
    params.field = options_.field;
    params.full = full();
    const PlaneLayout& plane = step.outputs[0]->frame.planes[0];
    params.width = plane.width;
    params.height = plane.height;
    params.stride = plane.stride_bytes;
    params.cut_blocks = counts_.cut_blocks();
    params.task = TASK_BLOCKS;
    stream.launch(*kernel_, {uint32_t(blocks()), 1, uint32_t(step.units)}, params);
    params.task = TASK_SAMPLES;
    stream.launch(*kernel_, picture_grid(step.outputs[0]->format.video, step.units, run_), params);
  }

 private:
  int blocks() const { return geometry_.levels()[0].blocks(); }
  int full() const {
    const double full = options_.mask == MotionMask::kFit
                            ? geometry_.for_block(int64_t(std::llround(options_.full)), false)
                            : options_.full * geometry_.grid().pel;
    return std::max(1, int(std::lround(std::min(full, 1e9))));
  }

  Geometry geometry_;
  Constants words_;
  const device::Kernel* kernel_;
  BlockWeights counts_;  // precede the mask values of blocks in the scratch memory
  MaskOptions options_;
  int run_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Port> Motion::add_mask(const FilterContext& context, Network& network, Port vectors,
                                const MaskOptions& options) const {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, context.load("motion/motion_mask"));
  const uint32_t fields = 1u << options.field;
  ASSIGN_OR_RETURN(BlockWeights counts, BlockWeights::of(context, geometry_, words_, fields,
                                                         {.threshold = options.cut_threshold,
                                                          .share = options.cut_share,
                                                          .chroma = options.chroma}));
  const VideoFormat gray{format_.width, format_.height, Chroma::kGray, 8};
  return network.add(std::make_unique<Mask>(PortFormat::picture(gray), geometry_, words_, kernel,
                                            std::move(counts), options, run_of(context)),
                     {vectors});
}

}  // namespace weft::filters::motion
