// SPDX-License-Identifier: Apache-2.0
#include "server/filters/motion/weights.h"

#include <bit>

#include "kernels/motion/weights.kernel"

namespace weft::filters::motion {

namespace {

using WeightsParams = kernels::weights::Params;

constexpr uint32_t kKindsOfPlanes = 2;  // luma, chroma
constexpr int kVectorsInput = 2;        // index of the input, after pictures and pyramids

}  // namespace

StatusOr<BlockWeights> BlockWeights::of(const FilterContext& context, const Geometry& geometry,
                                        Constants words, uint32_t fields, const Cut& cut) {
  ASSIGN_OR_RETURN(const device::Kernel* kernel, context.load("motion/weights"));
  return BlockWeights(kernel, geometry, std::move(words), fields, cut);
}

BlockWeights::BlockWeights(const device::Kernel* kernel, const Geometry& geometry, Constants words,
                           uint32_t fields, const Cut& cut)
    : kernel_(kernel),
      geometry_(geometry),
      words_(std::move(words)),
      wanted_(fields),
      blocks_(geometry.levels()[0].blocks()),
      fields_(std::bit_width(fields)),
      chroma_(cut.chroma),
      cut_sad_(geometry.for_block(cut.threshold, cut.chroma)),
      cut_blocks_(int(cut.share * blocks_)) {}

size_t BlockWeights::weights_offset(int units) const {
  return round_up(size_t(units) * size_t(fields_) * sizeof(int32_t), FrameLayout::kPlaneAlignment);
}

size_t BlockWeights::weights_bytes(int units) const {
  return size_t(units) * size_t(blocks_) * size_t(1 + fields_) * kKindsOfPlanes * WEIGHT_INTS *
         sizeof(int32_t);
}

template <class Params>
Params BlockWeights::enqueue_counts_before(device::Stream& stream, const Step& step, int input) const {
  stream.fill(*step.scratch, 0, weights_offset(step.units), std::byte{0});
  Params params = {};
  params.arena = device::at<decltype(Params::arena)>(*step.arena);
  params.table = device::at<decltype(Params::table)>(*step.table, step.table_offset_bytes);
  params.geometry = device::at<decltype(Params::geometry)>(*words_);
  params.counts = device::at<decltype(Params::counts)>(*step.scratch);
  params.weights = device::at<decltype(Params::weights)>(*step.scratch, weights_offset(step.units));
  params.row = step.shape->ints;
  params.vectors = step.shape->inputs[size_t(input)];
  params.slot_samples = int(kSlotUnitBytes / sizeof(int32_t));
  params.task = TASK_COUNT;
  params.blocks = blocks_;
  params.fields = fields_;
  params.wanted = int(wanted_);
  params.cut_sad = cut_sad_;
  params.cut_blocks = cut_blocks_;
  stream.launch(*kernel_, {uint32_t(blocks_), uint32_t(fields_), uint32_t(step.units)}, params);
  return params;
}

void BlockWeights::enqueue_counts(device::Stream& stream, const Step& step, int input) const {
  enqueue_counts_before<WeightsParams>(stream, step, input);
}

void BlockWeights::enqueue_weights(device::Stream& stream, const Step& step,
                                   const DegrainOptions& options) const {
  auto params = enqueue_counts_before<WeightsParams>(stream, step, kVectorsInput);
  params.task = TASK_WEIGHTS;
  params.threshold = geometry_.for_block(options.threshold, chroma_);
  params.chroma_threshold = geometry_.for_block(options.chroma_threshold, chroma_);
  params.binomial = options.binomial ? 1 : 0;
  stream.launch(*kernel_, {uint32_t(blocks_), kKindsOfPlanes, uint32_t(step.units)}, params);
}

void BlockWeights::enqueue_fits(device::Stream& stream, const Step& step, int threshold) const {
  auto params = enqueue_counts_before<WeightsParams>(stream, step, kVectorsInput);
  params.task = TASK_FITS;
  params.threshold = params.chroma_threshold = geometry_.for_block(threshold, chroma_);
  stream.launch(*kernel_, {uint32_t(blocks_), kKindsOfPlanes, uint32_t(step.units)}, params);
}

}  // namespace weft::filters::motion
