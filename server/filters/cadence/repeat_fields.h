// SPDX-License-Identifier: Apache-2.0
// Expands soft telecine to the frames that a display shows.
#pragma once

#include "server/filters/filter.h"

namespace weft::filters {

// Returns the frames of the display list (field_repeats.h) of `pictures`, for filters that need all
// fields at the times of their display. The frames are interlaced, top field first, and nominally
// come at display_rate(). Errors are those of FilterContext::load().
StatusOr<Port> add_repeat_fields(const FilterContext& context, Network& network, Port pictures);

// Returns the nominal rate of the display list of pictures that nominally come at `rate`. Rates
// from 24000/1001 to 30000/1001 that differ from 25 are those of soft telecine, alone or mixed with
// other material: 30000/1001. 24 becomes 30. Others stay.
Rate display_rate(const Rate& rate);

}  // namespace weft::filters
