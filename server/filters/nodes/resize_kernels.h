// SPDX-License-Identifier: Apache-2.0
// The weights of resizing along one side. Pure functions of doubles, any thread.
//
// A sample that comes out lies at a place among those that go in; it is their mean, weighted by a kernel around that place. Where a
// side gets shorter the kernel is as much wider. Past the ends the last sample repeats.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters {

// Of a kernel at a distance, and from which distance on it is 0. Sources: bicubic, Mitchell and Netravali, "Reconstruction Filters in
// Computer Graphics" (1988); spline16, 36 and 64, the cardinal splines of Helmut Dersch's Panorama Tools; gauss, AviSynth's
// 2^(-sharpness x^2 / 10), cut off at 4.
double kernel_weight(const v1::Resize& options, double distance);
double kernel_reach(const v1::Resize& options);

// Where chroma samples lie between those of luma: 0 at the first, 0.5 in the middle of those that one stands for, 1 at the last.
struct ChromaPlace {
  double x = 0;
  double y = 0.5;
};
// AUTO: the video's own, and left where it is not known.
ChromaPlace chroma_place(v1::ChromaPosition position, ChromaSite of_video);
ChromaSite chroma_site(v1::ChromaPosition position, ChromaSite of_video);

// One side of a plane.
struct Side {
  int from = 0, to = 0;            // samples of the plane
  int luma_from = 0, luma_to = 0;  // of luma
  int step = 1;                    // luma samples that one stands for
  double place = 0.5;              // of it between them, as ChromaPlace has it
  double shift = 0;                // samples that come out lie so many of those that go in further on
};

struct FilterWeights {
  int taps = 0;                 // for each that comes out
  std::vector<int> first;       // of each: the first that it is made of
  std::vector<double> weights;  // of each, `taps` that sum up to 1
  double largest_sum() const;   // of absolute weights
};
// A side that stays is left as it is.
FilterWeights filter_weights(const v1::Resize& options, const Side& side);

// INVALID_ARGUMENT: the kernel's weights nearly cancel each other out, as those of a bicubic with an extreme b and c.
Status check_weights(const FilterWeights& filter);

// In units of 2^-bits, `taps` to each that comes out; each sums up to 2^bits: what rounding leaves over goes to the largest.
std::vector<int> fixed_weights(const FilterWeights& filter, int bits);

}  // namespace weft::filters
