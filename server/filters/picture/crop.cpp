// SPDX-License-Identifier: Apache-2.0
// Registers crop, which cuts a part out of pictures.
#include <array>

#include "server/filters/nodes/place_node.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::Crop& options, Network& network, Port input) {
  const PortFormat& format = network.format(input);
  const Size from = size_of(format), steps = steps_of(format, network.properties(input).interlaced);
  const StatusOr<Size> size = parse_size(options.size());
  RETURN_IF_ERROR(context.blame("size", size.status()));
  if (size->width > from.width || size->height > from.height)
    return context.blame("size", invalid_argument("The part ({}x{}) is larger than the picture ({}x{}).",
                                                  size->width, size->height, from.width, from.height));
  const auto x = place_in(from.width, size->width, options.has_x() ? options.x() : -1, steps.width, "x");
  RETURN_IF_ERROR(context.blame("x", x.status()));
  const auto y = place_in(from.height, size->height, options.has_y() ? options.y() : -1, steps.height, "y");
  RETURN_IF_ERROR(context.blame("y", y.status()));
  constexpr std::array<std::byte, 16> kNothing{};
  return add_placing(context, network, input, "crop", {*size, -*x, -*y, kNothing});
}

constexpr Case kCases[] = {
    {"size: '32x20'", {97, 65, Chroma::k420, 8}},
    {"size: '21x15' x: 6 y: 3", {64, 48, Chroma::k422, 10}},
    {"size: '1x1' x: 0 y: 0", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kCrop;
const Registration kCrop = registration<v1::Crop, expand>({.takes_images = true}, kCases);

}  // namespace weft::filters::registered
