// SPDX-License-Identifier: Apache-2.0
// Pictures whose samples move by parts of one.
#pragma once

#include "server/filters/filter.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters {

// Samples that a plane's new ones lie further on.
struct SampleShift {
  double x = 0, y = 0;
};
struct PictureShift {
  SampleShift luma, chroma;
};

// Pictures of video of the same size; `options` says by which kernel. INVALID_ARGUMENT: its weights (check_weights).
StatusOr<Port> add_shift(const FilterContext& context, Network& network, Port pictures,
                         const v1::Resize& options, const PictureShift& shift);

}  // namespace weft::filters
