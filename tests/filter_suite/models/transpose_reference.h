// SPDX-License-Identifier: Apache-2.0
// Models of rotations and mirrors, written from their definitions. Only tests include it.
#pragma once

#include <utility>

#include "tests/filter_suite/clip.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::plain {

// Returns the position of a point after the rotation. `last_x` and `last_y` are the largest
// coordinates.
inline std::pair<double, double> turned_point(v1::TransposeTurn turn, double x, double y, double last_x,
                                              double last_y) {
  switch (turn) {
    case v1::TRANSPOSE_TURN_CLOCK:
      return {last_y - y, x};
    case v1::TRANSPOSE_TURN_CCLOCK:
      return {y, last_x - x};
    case v1::TRANSPOSE_TURN_HALF:
      return {last_x - x, last_y - y};
    case v1::TRANSPOSE_TURN_CLOCK_FLIP:
      return {last_y - y, last_x - x};
    case v1::TRANSPOSE_TURN_CCLOCK_FLIP:
      return {y, x};
    case v1::TRANSPOSE_TURN_HFLIP:
      return {last_x - x, y};
    default:
      return {x, last_y - y};
  }
}

inline ChromaSiting turned_chroma_site(v1::TransposeTurn turn, ChromaSiting site, const VideoFormat& format) {
  const bool is_centre =
      site == ChromaSiting::kCentre || site == ChromaSiting::kTop || site == ChromaSiting::kBottom;
  const bool is_top = site == ChromaSiting::kTop || site == ChromaSiting::kTopLeft;
  const bool is_bottom = site == ChromaSiting::kBottom || site == ChromaSiting::kBottomLeft;
  const double x = is_centre ? 0.5 : 0, y = is_top ? 0 : is_bottom ? 1 : 0.5;
  auto [to_x, to_y] = turned_point(turn, x, y, 1, 1);
  if (columns_of_chroma(format.chroma) == 1) to_x = 0;
  if (rows_of_chroma(format.chroma) == 1) to_y = 0.5;
  if (to_x == x && to_y == y) return site;
  if (to_x == 1) return ChromaSiting::kUnknown;
  constexpr ChromaSiting kSites[2][3] = {
      {ChromaSiting::kTopLeft, ChromaSiting::kLeft, ChromaSiting::kBottomLeft},
      {ChromaSiting::kTop, ChromaSiting::kCentre, ChromaSiting::kBottom}};
  return kSites[to_x == 0.5][int(2 * to_y)];
}

inline Clip transpose(const v1::Transpose& options, const Clip& clip) {
  Clip result{clip.format, {}, clip.infos, clip.properties};
  VideoFormat& format = result.format;
  if (options.turn() <= v1::TRANSPOSE_TURN_CCLOCK || options.turn() == v1::TRANSPOSE_TURN_CLOCK_FLIP ||
      options.turn() == v1::TRANSPOSE_TURN_CCLOCK_FLIP) {
    std::swap(format.width, format.height);
    if (clip.format.chroma == Chroma::k422) format.chroma = Chroma::k440;
    if (clip.format.chroma == Chroma::k440) format.chroma = Chroma::k422;
  }
  result.properties.chroma_siting = turned_chroma_site(options.turn(), clip.properties.chroma_siting, format);
  for (const Picture& frame : clip.frames) {
    Picture picture(format);
    for (int plane = 0; plane < format.planes(); plane++) {
      const int width = clip.format.plane_width(plane), height = clip.format.plane_height(plane);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const auto [to_x, to_y] = turned_point(options.turn(), x, y, width - 1, height - 1);
          picture.at(plane, int(to_x), int(to_y)) = uint16_t(frame.at(plane, x, y));
        }
    }
    result.frames.push_back(std::move(picture));
  }
  return result;
}

}  // namespace weft::filters::plain
