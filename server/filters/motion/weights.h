// SPDX-License-Identifier: Apache-2.0
// Measures the quality of blocks' matches and derives the weights of neighbouring pictures
// (kernels/motion/weights.kernel).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/motion/motion.h"
#include "kernels/motion/windows.h"
#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

// Returns the samples of a row that one lane of degrain and bounds processes: those of a word on
// GPUs, all of them on CPUs.
inline int samples_of_lane(const FilterContext& context) { return run_of(context, LANE_SAMPLES); }

// Computes weights for a node with vectors as its third input.
class BlockWeights {
 public:
  // Criterion of a scene change: the fraction of blocks with a SAD above the threshold (of 8x8
  // pixels) exceeds the share.
  struct Cut {
    int threshold;
    double share;
    bool chroma;
  };
  static StatusOr<BlockWeights> of(const FilterContext& context, const Geometry& geometry, Constants words,
                                   uint32_t fields, const Cut& cut);

  int fields() const { return fields_; }  // number of the highest requested field, from 1
  // Return the layout of the node's scratch memory: for each field of a unit the number of
  // unmatched blocks, then the weights of the blocks, for luma and then for chroma
  // (kernels/motion/windows.h).
  size_t scratch_bytes(int units) const { return weights_offset(units) + weights_bytes(units); }
  size_t weights_offset(int units) const;
  // Counts unmatched blocks only. The vectors are the node's input with the index `input`.
  void enqueue_counts(device::Stream& stream, const Step& step, int input) const;
  // number of unmatched blocks above which there is a scene change
  int cut_blocks() const { return cut_blocks_; }
  // Computes the weights of neighbouring pictures.
  void enqueue_weights(device::Stream& stream, const Step& step, const DegrainOptions& options) const;
  // Sets the weight of a block to 1 if its match is better than the threshold.
  void enqueue_fits(device::Stream& stream, const Step& step, int threshold) const;

 private:
  BlockWeights(const device::Kernel* kernel, const Geometry& geometry, Constants words, uint32_t fields,
               const Cut& cut);
  size_t weights_bytes(int units) const;
  // Enqueues the count and returns the parameters for the launch that follows.
  template <class Params>
  Params enqueue_counts_before(device::Stream& stream, const Step& step, int input) const;

  const device::Kernel* kernel_;
  Geometry geometry_;
  Constants words_;
  uint32_t wanted_;
  int blocks_;
  int fields_;
  bool chroma_;
  int cut_sad_;
  int cut_blocks_;
};

}  // namespace weft::filters::motion
