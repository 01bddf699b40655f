// SPDX-License-Identifier: Apache-2.0
// Model of cropping, written from its definition. Only tests include it.
#pragma once

#include <cstdio>

#include "tests/filter_suite/clip.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::plain {

inline Clip crop(const v1::Crop& options, const Clip& clip) {
  Clip result{clip.format, {}, clip.infos, clip.properties};
  std::sscanf(options.size().c_str(), "%dx%d", &result.format.width, &result.format.height);
  const int columns = columns_of_chroma(clip.format.chroma), rows = rows_of_chroma(clip.format.chroma);
  const int middle_x = (clip.format.width - result.format.width) / 2,
            middle_y = (clip.format.height - result.format.height) / 2;
  const int left = options.has_x() ? options.x() : middle_x - middle_x % columns;
  const int top = options.has_y() ? options.y() : middle_y - middle_y % rows;
  for (const Picture& frame : clip.frames) {
    Picture part(result.format);
    for (int plane = 0; plane < part.format.planes(); plane++)
      for (int y = 0; y < part.format.plane_height(plane); y++)
        for (int x = 0; x < part.format.plane_width(plane); x++)
          part.at(plane, x, y) = uint16_t(
              frame.at(plane, x + left / (plane > 0 ? columns : 1), y + top / (plane > 0 ? rows : 1)));
    result.frames.push_back(std::move(part));
  }
  return result;
}

}  // namespace weft::filters::plain
