// SPDX-License-Identifier: Apache-2.0
// Builds QTGMC's network, for the filter and for others that need its pictures.
#pragma once

#include "server/filters/filter.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters::qtgmc {

// Adds the nodes of QTGMC and returns its pictures. `options` are complete. Errors are those of the
// filter: INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED.
StatusOr<Port> add_qtgmc(const FilterContext& context, const v1::Qtgmc& options, Network& network,
                         Port input);

// Pictures that are smoothed along motion from both sides, and from earlier or later pictures
// alone. They share all stages before the smoothing. The option border has no effect.
struct SidedPictures {
  Port both, before, after;
};
StatusOr<SidedPictures> add_sided(const FilterContext& context, const v1::Qtgmc& options, Network& network,
                                  Port input);

}  // namespace weft::filters::qtgmc
