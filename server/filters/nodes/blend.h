// SPDX-License-Identifier: Apache-2.0
// Mixes two pictures by a mask (kernels/picture/blend.kernel).
#pragma once

#include "server/filters/filter.h"

namespace weft::filters {

enum class BlendPlanes { kAll, kLuma };  // planes outside the selection are copied from `a`

// Returns the mixture: `a` where `mask` is 0, and `b` where `mask` is 255. `a` and `b` have the
// same format and properties; `mask` is an 8-bit gray picture of the same size.
StatusOr<Port> add_blend(const FilterContext& context, Network& network, Port a, Port b, Port mask,
                         BlendPlanes planes = BlendPlanes::kAll);

}  // namespace weft::filters
