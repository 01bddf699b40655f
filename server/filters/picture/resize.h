// SPDX-License-Identifier: Apache-2.0
// Shifts pictures by fractions of a sample.
#pragma once

#include "server/filters/filter.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters {

// Distance of the new samples of a plane from the old ones, in samples.
struct SampleShift {
  double x = 0, y = 0;
};
struct PictureShift {
  SampleShift luma, chroma;
};

// Shifts the pictures of a video without a change of size. `options` selects the kernel.
// INVALID_ARGUMENT: the weights of the kernel are not usable (check_weights).
StatusOr<Port> add_shift(const FilterContext& context, Network& network, Port pictures,
                         const v1::Resize& options, const PictureShift& shift);

}  // namespace weft::filters
