// SPDX-License-Identifier: Apache-2.0
// Adds nodes that compute the pixels of an image as weighted sums along rows or columns
// (kernels/picture/resize_pixels.kernel), or convert them to another type.
#pragma once

#include "server/filters/filter.h"
#include "server/filters/nodes/resize_kernels.h"

namespace weft::filters {

StatusOr<Port> add_pixel_pass(const FilterContext& context, Network& network, Port input,
                              const FilterWeights& filter, bool is_rows, PixelType type);

// Resizes an image along rows and then along columns.
StatusOr<Port> add_pixel_resize(const FilterContext& context, Network& network, Port input,
                                const v1::Resize& options, int width, int height);

// Converts `pixels` to the sample type of the chain's result (FilterContext::result_pixels). A port
// that already has this type, and a port of video, is returned unchanged.
StatusOr<Port> with_result_pixels(const FilterContext& context, Network& network, Port pixels);

}  // namespace weft::filters
