// SPDX-License-Identifier: Apache-2.0
// How well blocks fit where the search found them, and what that lets pictures around count for (kernels/motion/weights.kernel).
#pragma once

#include "server/filters/motion/motion.h"

namespace weft::filters::motion {

// Of a node whose third input is vectors.
class BlockWeights {
 public:
  // Thresholds are those of 8x8 pixels; behind a share of blocks that do not fit there was a cut.
  struct Cut {
    int threshold;
    double share;
    bool chroma;
  };
  static StatusOr<BlockWeights> of(const FilterContext& context, const Geometry& geometry, int fields,
                                   const Cut& cut);

  int fields() const { return fields_; }
  int most_that_do_not_fit() const { return cut_blocks_; }
  // At the scratch's begin: blocks of each field of a unit that do not fit.
  size_t counts_bytes(int units) const;
  // Behind: of a unit the blocks' weights, for luma, then for chroma; of a block its own one, then of each field.
  size_t weights_bytes(int units) const;
  void enqueue_counts(device::Stream& stream, const Step& step) const;
  void enqueue_weights(device::Stream& stream, const Step& step, const DegrainOptions& options) const;

 private:
  BlockWeights(const device::Kernel* kernel, const Geometry& geometry, int fields, const Cut& cut);

  const device::Kernel* kernel_;
  Geometry geometry_;
  int blocks_;
  int fields_;
  bool chroma_;
  int cut_sad_;
  int cut_blocks_;
};

}  // namespace weft::filters::motion
