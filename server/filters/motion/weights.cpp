// SPDX-License-Identifier: Apache-2.0
#include "server/filters/motion/weights.h"

#include "kernels/motion/weights.kernel"

namespace weft::filters::motion {

namespace {

using Params = kernels::weights::Params;

constexpr int kKindsOfPlanes = 2;  // luma, chroma

Params params_of(const Step& step, size_t counts_bytes) {
  Params params = {};
  params.arena = device::at<decltype(Params::arena)>(*step.arena);
  params.table = device::at<decltype(Params::table)>(*step.table, step.table_offset_bytes);
  params.counts = device::at<decltype(Params::counts)>(*step.scratch);
  params.weights = device::at<decltype(Params::weights)>(*step.scratch, counts_bytes);
  params.row = step.shape->ints;
  params.vectors = step.shape->inputs[2];
  params.place = int(kPlaceBytes / sizeof(int32_t));
  return params;
}

int sides_of(Sides sides) {
  return sides == Sides::kBefore ? SIDES_BEFORE : sides == Sides::kAfter ? SIDES_AFTER : SIDES_BOTH;
}

}  // namespace

StatusOr<BlockWeights> BlockWeights::of(const FilterContext& context, const Geometry& geometry, int fields,
                                        const Cut& cut) {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, context.load("motion/weights"));
  return BlockWeights(kernel, geometry, fields, cut);
}

BlockWeights::BlockWeights(const device::Kernel* kernel, const Geometry& geometry, int fields, const Cut& cut)
    : kernel_(kernel),
      geometry_(geometry),
      blocks_(geometry.levels()[0].blocks()),
      fields_(fields),
      chroma_(cut.chroma),
      cut_sad_(geometry.for_block(cut.threshold, cut.chroma)),
      cut_blocks_(int(cut.share * blocks_)) {}

size_t BlockWeights::counts_bytes(int units) const {
  return round_up(size_t(units) * size_t(fields_) * sizeof(int32_t), FrameLayout::kPlaneAlignment);
}

size_t BlockWeights::weights_bytes(int units) const {
  return size_t(units) * size_t(blocks_) * size_t(1 + fields_) * kKindsOfPlanes * sizeof(int32_t);
}

void BlockWeights::enqueue_counts(device::Stream& stream, const Step& step) const {
  stream.fill(*step.scratch, 0, counts_bytes(step.units), std::byte{0});
  Params params = params_of(step, 0);
  params.task = TASK_COUNT;
  params.blocks = blocks_;
  params.fields = fields_;
  params.cut_sad = cut_sad_;
  stream.launch(*kernel_, {uint32_t(blocks_), uint32_t(fields_), uint32_t(step.units)}, params);
}

void BlockWeights::enqueue_weights(device::Stream& stream, const Step& step,
                                   const DegrainOptions& options) const {
  Params params = params_of(step, counts_bytes(step.units));
  params.task = TASK_WEIGHTS;
  params.blocks = blocks_;
  params.fields = fields_;
  params.cut_blocks = cut_blocks_;
  params.threshold = geometry_.for_block(options.threshold, chroma_);
  params.chroma_threshold = geometry_.for_block(options.chroma_threshold, chroma_);
  params.sides = sides_of(options.sides);
  params.binomial = options.binomial ? 1 : 0;
  stream.launch(*kernel_, {uint32_t(blocks_), uint32_t(kKindsOfPlanes), uint32_t(step.units)}, params);
}

}  // namespace weft::filters::motion
