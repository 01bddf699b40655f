// SPDX-License-Identifier: Apache-2.0
// Turns and mirrors, written from their definition. Only tests include it.
#pragma once

#include <utility>

#include "tests/filter_suite/clip.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::plain {

// A point of a picture of so many columns and rows, turned: where it comes to lie.
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

inline ChromaSite turned_chroma_site(v1::TransposeTurn turn, ChromaSite site, const VideoFormat& format) {
  const bool is_centre =
      site == ChromaSite::kCentre || site == ChromaSite::kTop || site == ChromaSite::kBottom;
  const bool is_top = site == ChromaSite::kTop || site == ChromaSite::kTopLeft;
  const bool is_bottom = site == ChromaSite::kBottom || site == ChromaSite::kBottomLeft;
  const double x = is_centre ? 0.5 : 0, y = is_top ? 0 : is_bottom ? 1 : 0.5;
  auto [to_x, to_y] = turned_point(turn, x, y, 1, 1);
  if (columns_of_chroma(format.chroma) == 1) to_x = 0;
  if (rows_of_chroma(format.chroma) == 1) to_y = 0.5;
  if (to_x == x && to_y == y) return site;
  if (to_x == 1) return ChromaSite::kUnknown;
  constexpr ChromaSite kSites[2][3] = {{ChromaSite::kTopLeft, ChromaSite::kLeft, ChromaSite::kBottomLeft},
                                       {ChromaSite::kTop, ChromaSite::kCentre, ChromaSite::kBottom}};
  return kSites[to_x == 0.5][int(2 * to_y)];
}

inline Clip transpose(const v1::Transpose& options, const Clip& clip) {
  Clip result{clip.format, {}, clip.infos, clip.facts};
  VideoFormat& format = result.format;
  if (options.turn() <= v1::TRANSPOSE_TURN_CCLOCK || options.turn() == v1::TRANSPOSE_TURN_CLOCK_FLIP ||
      options.turn() == v1::TRANSPOSE_TURN_CCLOCK_FLIP) {
    std::swap(format.width, format.height);
    if (clip.format.chroma == Chroma::k422) format.chroma = Chroma::k440;
    if (clip.format.chroma == Chroma::k440) format.chroma = Chroma::k422;
  }
  result.facts.chroma_site = turned_chroma_site(options.turn(), clip.facts.chroma_site, format);
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
