// SPDX-License-Identifier: Apache-2.0
// A logo and pictures with it, for tests: by the definition of opacity and colour.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/video_format.h"
#include "server/filters/logo/logo_file.h"

namespace weft::filters::logo {

// A logo of several strokes, orange with an opacity of 20 to 60%, in the middle of a rectangle.
struct MadeLogo {
  int x = 0, y = 0, width = 0, height = 0;

  // Opacity at a luma sample of the rectangle.
  double opacity(int i, int j) const {
    const bool is_inside = i >= 8 && i < width - 8 && j >= 8 && j < height - 8;
    if (!is_inside || !((i / 6) % 2 == 0 || j / 5 % 3 == 1)) return 0;
    return 0.2 + 0.4 * i / width;
  }
  // Opacity of a sample of the plane, which is that of the first luma sample that it covers.
  double opacity(int plane, int i, int j, const VideoFormat& format) const {
    return plane == 0 ? opacity(i, j)
                      : opacity(i * columns_of_chroma(format.chroma), j * rows_of_chroma(format.chroma));
  }
  static double colour(int plane) { return plane == 0 ? 0.9 : plane == 1 ? 0.4 : 0.65; }

  // Returns a sample of the picture with the logo at the given strength, from 0 to 1: not rounded.
  double shown(double background, int plane, int picture_x, int picture_y, const VideoFormat& format,
               double strength = 1) const {
    const int columns = plane == 0 ? 1 : columns_of_chroma(format.chroma);
    const int rows = plane == 0 ? 1 : rows_of_chroma(format.chroma);
    const int i = picture_x - x / columns, j = picture_y - y / rows;
    if (i < 0 || j < 0 || i >= width / columns || j >= height / rows) return background;
    const double part = opacity(plane, i, j, format);
    if (part == 0) return background;
    const double maximum = (1 << format.bit_depth) - 1;
    // The strength is that of the removal: seen with it removed with strength F is the background.
    const double a = 1 / (1 - part), b = colour(plane) * (1 - a);
    const double factor = strength * a + 1 - strength;
    return (background - strength * b * maximum) / factor;
  }

  Logo logo(const VideoFormat& format) const {
    Logo made;
    made.name = "made";
    made.x = x;
    made.y = y;
    made.width = width;
    made.height = height;
    made.image_width = format.width;
    made.image_height = format.height;
    made.chroma_shift_x = columns_of_chroma(format.chroma) / 2;
    made.chroma_shift_y = rows_of_chroma(format.chroma) / 2;
    for (int plane = 0; plane < 3; plane++)
      for (int j = 0; j < made.plane_height(plane); j++)
        for (int i = 0; i < made.plane_width(plane); i++) {
          const double a = 1 / (1 - opacity(plane, i, j, format));
          made.planes[size_t(plane)].a.push_back(float(a));
          made.planes[size_t(plane)].b.push_back(float(colour(plane) * (1 - a)));
        }
    return made;
  }
};

}  // namespace weft::filters::logo
