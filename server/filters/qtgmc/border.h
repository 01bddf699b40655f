// SPDX-License-Identifier: Apache-2.0
// Adds and removes border rows around pictures, which QTGMC needs during its processing.
#pragma once

#include "server/filters/filter.h"

namespace weft::filters::qtgmc {

// Add mirrored rows of the picture above and below it, in an order that keeps fields, and remove
// them. INVALID_ARGUMENT: the picture is too high.
StatusOr<Port> add_border(const FilterContext& context, Network& network, Port pictures);
StatusOr<Port> without_border(const FilterContext& context, Network& network, Port pictures,
                              const VideoFormat& format);

}  // namespace weft::filters::qtgmc
