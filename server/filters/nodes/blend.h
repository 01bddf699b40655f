// SPDX-License-Identifier: Apache-2.0
// Two pictures mixed by a mask (kernels/picture/blend.kernel).
#pragma once

#include "server/filters/filter.h"

namespace weft::filters {

enum class BlendPlanes { kAll, kLuma };  // of others `a` stays

// a where `mask` is 0, b where it is 255. Formats and facts of `a` and `b` are alike; `mask` is a gray picture of 8 bits, as large.
StatusOr<Port> add_blend(const FilterContext& context, Network& network, Port a, Port b, Port mask,
                         BlendPlanes planes = BlendPlanes::kAll);

}  // namespace weft::filters
