// SPDX-License-Identifier: Apache-2.0
// Places a picture on another one (kernels/picture/place.kernel), for cropping and padding.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/size_option.h"

namespace weft::filters {

struct Placing {
  Size size;  // size of the output
  // position of the input's upper left sample in the output; multiples of the chroma subsampling
  int x = 0;
  int y = 0;
  // fill value of the border: one 16-bit sample for each plane, or one pixel of floats or halves
  std::span<const std::byte> fill;
  // true: the border above and below consists of the input's rows, mirrored at the outermost row
  bool mirrors_rows = false;
};

StatusOr<Port> add_placing(const FilterContext& context, Network& network, Port input, std::string_view name,
                           const Placing& placing);

}  // namespace weft::filters
