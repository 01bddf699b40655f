// SPDX-License-Identifier: Apache-2.0
// Model of padding, written from its definition. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/filter_suite/clip.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::plain {

// Returns the code value of the padding's colour in a plane.
inline int padding_code(const v1::Pad& options, const VideoFormat& format, const VideoColour& colour,
                        int plane) {
  unsigned rgb = 0;
  if (options.colour() == "gray")
    rgb = 0x808080;
  else if (options.colour() == "white")
    rgb = 0xffffff;
  else if (options.colour() != "black")
    std::sscanf(options.colour().c_str(), "%x", &rgb);
  const double r = (rgb >> 16) / 255.0, g = (rgb >> 8 & 255) / 255.0, b = (rgb & 255) / 255.0;
  const bool is_709 = colour.matrix == 1 || (colour.matrix == 2 && format.height >= 720),
             is_2020 = colour.matrix == 9;
  const double red = is_709    ? 0.2126
                     : is_2020 ? 0.2627
                               : 0.299,
               blue = is_709    ? 0.0722
                      : is_2020 ? 0.0593
                                : 0.114;
  const double y = red * r + (1 - red - blue) * g + blue * b;
  const double unit = 1 << (format.bit_depth - 8), most = (1 << format.bit_depth) - 1;
  double code = colour.is_full_range ? y * most : (16 + 219 * y) * unit;
  const double chroma = plane == 1 ? (b - y) / (2 - 2 * blue) : (r - y) / (2 - 2 * red);
  if (plane > 0) code = 128 * unit + chroma * (colour.is_full_range ? most : 224 * unit);
  return int(std::clamp(std::floor(code + 0.5), 0.0, most));
}

inline Clip pad(const v1::Pad& options, const Clip& clip) {
  Clip result{clip.format, {}, clip.infos, clip.properties};
  std::sscanf(options.size().c_str(), "%dx%d", &result.format.width, &result.format.height);
  const int columns = columns_of_chroma(clip.format.chroma), rows = rows_of_chroma(clip.format.chroma);
  const int middle_x = (result.format.width - clip.format.width) / 2,
            middle_y = (result.format.height - clip.format.height) / 2;
  const int left = options.has_x() ? options.x() : middle_x - middle_x % columns;
  const int top = options.has_y() ? options.y() : middle_y - middle_y % rows;
  for (const Picture& frame : clip.frames) {
    Picture picture(result.format);
    for (int plane = 0; plane < picture.format.planes(); plane++) {
      std::ranges::fill(picture.planes[size_t(plane)],
                        uint16_t(padding_code(options, clip.format, clip.properties.colour, plane)));
      for (int y = 0; y < frame.format.plane_height(plane); y++)
        for (int x = 0; x < frame.format.plane_width(plane); x++)
          picture.at(plane, x + left / (plane > 0 ? columns : 1), y + top / (plane > 0 ? rows : 1)) =
              uint16_t(frame.at(plane, x, y));
    }
    result.frames.push_back(std::move(picture));
  }
  return result;
}

}  // namespace weft::filters::plain
