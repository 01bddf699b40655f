// SPDX-License-Identifier: Apache-2.0
// Separates interlaced frames into pictures of their fields, at frame rate. Motion compensation
// then compares a field with fields of the same lines.
#pragma once

#include "server/filters/nodes/layout_node.h"

namespace weft::filters::motion {

// The pictures of the two fields, with half as many rows.
struct FieldsOfFrames {
  Port top, bottom;
};
StatusOr<FieldsOfFrames> add_separate(const FilterContext& context, Network& network, Port frames);
// Joins fields to frames with the format and the properties of `like`.
StatusOr<Port> add_join(const FilterContext& context, Network& network, const FieldsOfFrames& fields,
                        Port like);

}  // namespace weft::filters::motion
