// SPDX-License-Identifier: Apache-2.0
// Model of the removal of the logo that the cases name, with a fixed strength, written from the
// definition of the logo file's base part. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>

#include "server/filters/filter.h"
#include "tests/filter_suite/clip.h"
#include "weft/v1/logo.pb.h"

namespace weft::filters::plain {

// The base part of a logo file, by offsets in the file.
class BaseLogo {
 public:
  explicit BaseLogo(const FileBytes& file) : file_(file) {}
  int left() const { return number(64); }
  int top() const { return number(66); }
  int height() const { return number(68); }
  int width() const { return number(70); }
  bool has(int x, int y) const {
    return x >= left() && y >= top() && x < left() + width() && y < top() + height();
  }
  // Opacity and colour, from 0 to 1, of a plane at a luma sample of the picture; no opacity outside
  // of the rectangle.
  double opacity(int plane, int x, int y) const { return has(x, y) ? number(at(plane, x, y)) / 1000.0 : 0; }
  double colour(int plane, int x, int y) const {
    if (!has(x, y)) return 0;
    const double level = number(at(plane, x, y) + 2) / 4096.0;
    return plane == 0 ? (16 + 219 * level) / 255 : (128 + 224 * level) / 255;
  }

 private:
  size_t at(int plane, int x, int y) const {
    return 80 + 12 * size_t((y - top()) * width() + x - left()) + 4 * size_t(plane);
  }
  int number(size_t at) const { return int16_t(int(file_[at]) | int(file_[at + 1]) << 8); }

  const FileBytes& file_;
};

inline Clip delogo(const v1::Delogo& options, const Clip& clip) {
  const FileBytes file = find_filter("delogo")->case_file();
  const BaseLogo logo(file);
  const double fade = options.has_fade() ? options.fade() : 1;
  Clip result = clip;
  const VideoFormat& format = clip.format;
  const int maximum = (1 << format.bit_depth) - 1;
  for (Picture& picture : result.frames)
    for (int plane = 0; plane < format.planes(); plane++) {
      const int columns = plane == 0 ? 1 : columns_of_chroma(format.chroma);
      const int rows = plane == 0 ? 1 : rows_of_chroma(format.chroma);
      for (int y = 0; y < format.plane_height(plane); y++)
        for (int x = 0; x < format.plane_width(plane); x++) {
          // background * (1 - opacity) + colour * opacity, in the mean of the luma samples
          double clear = 0, added = 0;
          for (int j = y * rows; j < (y + 1) * rows; j++)
            for (int i = x * columns; i < (x + 1) * columns; i++) {
              clear += (1 - logo.opacity(plane, i, j)) / (rows * columns);
              added += logo.opacity(plane, i, j) * logo.colour(plane, i, j) / (rows * columns);
            }
          const double seen = picture.at(plane, x, y);
          const double background = (seen - added * maximum) / clear;
          const double removed = fade * background + (1 - fade) * seen;
          picture.at(plane, x, y) = uint16_t(std::clamp(std::floor(removed + 0.5), 0.0, double(maximum)));
        }
    }
  return result;
}

}  // namespace weft::filters::plain
