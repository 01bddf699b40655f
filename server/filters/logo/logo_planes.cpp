// SPDX-License-Identifier: Apache-2.0
#include "server/filters/logo/logo_planes.h"

#include <algorithm>

namespace weft::filters::logo {
namespace {

// Returns the coefficients of a chroma sample. Adding a logo, seen = (background - b) / a, is
// linear in 1 / a and b / a, so that their means describe the mean of several samples.
std::pair<float, float> mean_of(const Logo& logo, int plane, int left, int top, int columns, int rows) {
  const LogoPlane& values = logo.planes[size_t(plane)];
  const int width = logo.plane_width(plane), height = logo.plane_height(plane);
  double inverse = 0, offset = 0;
  for (int y = top; y < top + rows; y++)
    for (int x = left; x < left + columns; x++) {
      const int column = (x - logo.x) >> logo.chroma_shift_x, row = (y - logo.y) >> logo.chroma_shift_y;
      const bool has_logo = x >= logo.x && y >= logo.y && column < width && row < height;
      const size_t at = has_logo ? size_t(row) * size_t(width) + size_t(column) : 0;
      inverse += has_logo ? 1.0 / values.a[at] : 1;
      offset += has_logo ? double(values.b[at]) / values.a[at] : 0;
    }
  const int count = rows * columns;
  return {float(count / inverse), float(offset / inverse)};
}

PlacedPlane place_chroma(const Logo& logo, int plane, const VideoFormat& format) {
  const int columns = columns_of_chroma(format.chroma), rows = rows_of_chroma(format.chroma);
  PlacedPlane placed;
  placed.x = logo.x / columns;
  placed.y = logo.y / rows;
  placed.width =
      std::min((logo.x + logo.width + columns - 1) / columns, format.plane_width(plane)) - placed.x;
  placed.height = std::min((logo.y + logo.height + rows - 1) / rows, format.plane_height(plane)) - placed.y;
  for (int y = placed.y; y < placed.y + placed.height; y++)
    for (int x = placed.x; x < placed.x + placed.width; x++) {
      const auto [a, b] = mean_of(logo, plane, x * columns, y * rows, columns, rows);
      placed.values.a.push_back(a);
      placed.values.b.push_back(b);
    }
  return placed;
}

}  // namespace

StatusOr<std::array<PlacedPlane, 3>> place_logo(const Logo& logo, const VideoFormat& format) {
  const bool has_size = logo.image_width > 0;
  if (has_size && (logo.image_width != format.width || logo.image_height != format.height))
    return invalid_argument(
        "The logo was made for pictures of {}x{}, and the input of delogo has {}x{}; put filters that change "
        "the "
        "size behind delogo, or scan the logo in this video.",
        logo.image_width, logo.image_height, format.width, format.height);
  if (logo.x + logo.width > format.width || logo.y + logo.height > format.height)
    return invalid_argument(
        "The logo ({}x{} at {},{}) is not within the picture ({}x{}); scan the logo in this video.",
        logo.width, logo.height, logo.x, logo.y, format.width, format.height);
  std::array<PlacedPlane, 3> planes;
  planes[0] = {logo.x, logo.y, logo.width, logo.height, logo.planes[0]};
  for (int plane = 1; plane < format.planes(); plane++)
    planes[size_t(plane)] = place_chroma(logo, plane, format);
  return planes;
}

}  // namespace weft::filters::logo
