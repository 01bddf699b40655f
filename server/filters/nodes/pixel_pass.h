// SPDX-License-Identifier: Apache-2.0
// Pixels of images made of others along rows or columns (kernels/picture/resize_pixels.kernel), or of another type.
#pragma once

#include "server/filters/filter.h"
#include "server/filters/nodes/resize_kernels.h"

namespace weft::filters {

StatusOr<Port> add_pixel_pass(const FilterContext& context, Network& network, Port input,
                              const FilterWeights& filter, bool is_rows, PixelType type);

// Both sides.
StatusOr<Port> add_pixel_resize(const FilterContext& context, Network& network, Port input,
                                const v1::Resize& options, int width, int height);

// `pixels` with the samples that the chain is to give. Ports of video stay.
StatusOr<Port> with_result_pixels(const FilterContext& context, Network& network, Port pixels);

}  // namespace weft::filters
