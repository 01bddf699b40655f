// SPDX-License-Identifier: Apache-2.0
// Rows around pictures while QTGMC works on them.
#pragma once

#include "server/filters/filter.h"

namespace weft::filters::qtgmc {

// Rows of the picture's own above and below it, in which fields stay fields, and back. INVALID_ARGUMENT: it is too high for them.
StatusOr<Port> add_border(const FilterContext& context, Network& network, Port pictures);
StatusOr<Port> without_border(const FilterContext& context, Network& network, Port pictures,
                              const VideoFormat& format);

}  // namespace weft::filters::qtgmc
