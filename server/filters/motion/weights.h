// SPDX-License-Identifier: Apache-2.0
// How well blocks fit where the search found them, and what that lets pictures around count for (kernels/motion/weights.kernel).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/motion/motion.h"
#include "kernels/motion/windows.h"
#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

// Samples of a row that a lane of degrain and bounds works on: a word's on GPUs, all of them on CPUs.
inline int samples_of_lane(const FilterContext& context) { return run_of(context, LANE_SAMPLES); }

// Of a node whose third input is vectors.
class BlockWeights {
 public:
  // Thresholds are those of 8x8 pixels; behind a share of blocks that do not fit there was a cut.
  struct Cut {
    int threshold;
    double share;
    bool chroma;
  };
  static StatusOr<BlockWeights> of(const FilterContext& context, const Geometry& geometry, Constants words,
                                   uint32_t fields, const Cut& cut);

  int fields() const { return fields_; }  // the last one that counts, and those before
  // The node's scratch: of each field of a unit how many blocks do not fit, then the blocks' weights, for luma, then for chroma
  // (kernels/motion/windows.h).
  size_t scratch_bytes(int units) const { return weights_offset(units) + weights_bytes(units); }
  size_t weights_offset(int units) const;
  // Counts alone, of the vectors that are this input of the node.
  void enqueue_counts(device::Stream& stream, const Step& step, int input) const;
  int cut_blocks() const { return cut_blocks_; }  // more that do not fit: a cut
  // What pictures around count for.
  void enqueue_weights(device::Stream& stream, const Step& step, const DegrainOptions& options) const;
  // 1 for those in which a block fits better than the threshold.
  void enqueue_fits(device::Stream& stream, const Step& step, int threshold) const;

 private:
  BlockWeights(const device::Kernel* kernel, const Geometry& geometry, Constants words, uint32_t fields,
               const Cut& cut);
  size_t weights_bytes(int units) const;
  // Counts, and is left with the launch that follows.
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
