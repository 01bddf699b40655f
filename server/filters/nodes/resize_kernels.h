// SPDX-License-Identifier: Apache-2.0
// Computes the weights of resizing along one side. The functions are pure; any thread may call
// them.
//
// An output sample has a position among the input samples. Its value is the mean of input samples,
// weighted by a kernel around that position. Where a side becomes shorter, the kernel is wider by
// the same ratio. Past the ends of a side the last sample is repeated.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters {

// Returns the value of a kernel at a distance, and 0 at or beyond kernel_reach(). Sources: bicubic,
// Mitchell and Netravali, "Reconstruction Filters in Computer Graphics" (1988); spline16, 36 and
// 64, the cardinal splines of Helmut Dersch's Panorama Tools; gauss, AviSynth's 2^(-sharpness x^2 /
// 10), cut off at 4.
double kernel_weight(const v1::Resize& options, double distance);
double kernel_reach(const v1::Resize& options);

// Chroma siting along an axis, relative to the luma samples that a chroma sample covers: 0 at the
// first, 0.5 in the middle, 1 at the last.
struct ChromaOffset {
  double x = 0;
  double y = 0.5;
};
// Return the chroma siting of `position`. AUTO stands for the siting of the video; chroma_offset()
// treats an unknown one as left.
ChromaOffset chroma_offset(v1::ChromaPosition position, ChromaSiting of_video);
ChromaSiting chroma_siting(v1::ChromaPosition position, ChromaSiting of_video);

// One side of a plane that is resized.
struct Side {
  int from = 0, to = 0;            // samples of the plane along the side
  int luma_from = 0, luma_to = 0;  // samples of luma along the side
  int step = 1;                    // luma samples per sample of the plane
  double siting = 0.5;             // siting, as in ChromaOffset
  double shift = 0;                // offset of the output grid, in input samples
};

struct FilterWeights {
  int taps = 0;                 // input samples per output sample
  std::vector<int> first;       // first input sample of each output sample
  std::vector<double> weights;  // `taps` weights of each output sample, with sum 1
  double largest_sum() const;   // largest sum of absolute weights
};
// Returns the weights of all output samples of a side. A side of unchanged size without a shift is
// copied.
FilterWeights filter_weights(const v1::Resize& options, const Side& side);

// Returns INVALID_ARGUMENT if the kernel's weights nearly cancel each other out, as those of a
// bicubic kernel with an extreme b and c.
Status check_weights(const FilterWeights& filter);

// Returns weights in units of 2^-bits, `taps` for each output sample, with the sum 2^bits. The
// largest weight of a sample takes up the rounding error.
std::vector<int> fixed_weights(const FilterWeights& filter, int bits);

}  // namespace weft::filters
