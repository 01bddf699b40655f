// SPDX-License-Identifier: Apache-2.0
// Interlaced frames as pictures of their fields, at the rate of frames: what follows motion compares a field with fields of the same lines.
#pragma once

#include "server/filters/nodes/layout_node.h"

namespace weft::filters::motion {

// Pictures of half as many rows.
struct FieldsOfFrames {
  Port top, bottom;
};
StatusOr<FieldsOfFrames> add_separate(const FilterContext& context, Network& network, Port frames);
// Frames of the format of these, and what is known of them.
StatusOr<Port> add_join(const FilterContext& context, Network& network, const FieldsOfFrames& fields,
                        Port like);

}  // namespace weft::filters::motion
