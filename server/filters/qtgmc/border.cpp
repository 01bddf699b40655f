// SPDX-License-Identifier: Apache-2.0
#include "server/filters/qtgmc/border.h"

#include <array>

#include "server/filters/nodes/place_node.h"

namespace weft::filters::qtgmc {
namespace {

constexpr std::array<std::byte, 16> kNoFill{};

// Returns the number of border rows above and below a picture, a multiple that keeps fields.
int border_of(const VideoFormat& format) {
  constexpr int kBorderRows = 4;
  const int step = steps_of(PortFormat::picture(format), true).height;
  return (kBorderRows + step - 1) / step * step;
}

}  // namespace

StatusOr<Port> add_border(const FilterContext& context, Network& network, Port pictures) {
  const VideoFormat format = network.format(pictures).video;
  const int rows = border_of(format);
  if (format.height + 2 * rows > kMaxPictureSide)
    return context.blame("border",
                         invalid_argument("Pictures of {} rows have no room for {} more above and below "
                                          "(at most {}); leave border out.",
                                          format.height, rows, kMaxPictureSide));
  return add_placing(
      context, network, pictures, "qtgmc_border",
      {.size = {format.width, format.height + 2 * rows}, .y = rows, .fill = kNoFill, .mirrors_rows = true});
}

StatusOr<Port> without_border(const FilterContext& context, Network& network, Port pictures,
                              const VideoFormat& format) {
  return add_placing(context, network, pictures, "qtgmc_without_border",
                     {.size = {format.width, format.height}, .y = -border_of(format), .fill = kNoFill});
}

}  // namespace weft::filters::qtgmc
