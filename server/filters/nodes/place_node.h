// SPDX-License-Identifier: Apache-2.0
// A picture placed on another (kernels/picture/place.kernel): what cropping and padding are.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/size_option.h"

namespace weft::filters {

struct Placing {
  Size size;  // of the target
  int x = 0;  // of the source's upper left sample in it; multiples of what a chroma sample stands for
  int y = 0;
  // What lies around it: a sample of each plane as 16-bit words, or a pixel as floats or halves.
  std::span<const std::byte> fill;
  bool mirrors_rows =
      false;  // above and below lie its own rows, mirrored in the outermost ones, in place of that
};

StatusOr<Port> add_placing(const FilterContext& context, Network& network, Port input, std::string_view name,
                           const Placing& placing);

}  // namespace weft::filters
