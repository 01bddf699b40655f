// SPDX-License-Identifier: Apache-2.0
// Model of enlarge. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/filter_suite/models/nnedi_reference.h"
#include "tests/filter_suite/models/resize_reference.h"

namespace weft::filters::plain {

inline Picture turned_over(const Picture& picture) {
  VideoFormat format = picture.format;
  std::swap(format.width, format.height);
  if (picture.format.chroma == Chroma::k422) format.chroma = Chroma::k440;
  if (picture.format.chroma == Chroma::k440) format.chroma = Chroma::k422;
  Picture result(format);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++)
        result.at(plane, x, y) = uint16_t(picture.at(plane, y, x));
  return result;
}

inline Picture with_rows_between(const weft::filters::nnedi::EdgeNetwork& network, const Picture& picture) {
  VideoFormat format = picture.format;
  format.height *= 2;
  Picture result(format);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++)
        result.at(plane, x, y) = uint16_t(picture.at(plane, x, y / 2));
  return with_made_rows(network, std::move(result), 0);
}

// Resamples each row or each column, so that its samples are at their positions in the picture of
// twice the size. Sample k of a plane is at step * k + first from the edge, in luma samples.
inline Map moved(const Map& from, bool is_rows, double step, double first) {
  Map result(from.width, from.height);
  const int count = is_rows ? from.width : from.height;
  for (int i = 0; i < count; i++) {
    // Sample k of `from` is at luma position (step * k) / 2 + first of the small picture. Luma
    // position x of the small picture is 2 x in the large one.
    const double wanted = step * i + first;
    const double at = (wanted / 2 - first) * 2 / step;
    double sum = 0;
    for (int k = int(std::floor(at)) - 3; k <= at + 3; k++) {
      const double distance = std::abs(k - at);
      if (distance >= 3) continue;
      const double weight = cardinal_spline(3, distance);
      sum += weight;
      for (int other = 0; other < (is_rows ? from.height : from.width); other++)
        (is_rows ? result.row(other)[i] : result.row(i)[other]) +=
            weight * (is_rows ? from.repeated(k, other) : from.repeated(other, k));
    }
    for (int other = 0; other < (is_rows ? from.height : from.width); other++)
      (is_rows ? result.row(other)[i] : result.row(i)[other]) /= sum;
  }
  return result;
}

inline Clip enlarge(const v1::Enlarge& options, const Clip& clip) {
  const weft::filters::nnedi::EdgeNetwork network = network_of_model(options.network());
  v1::Resize sites;
  sites.set_chroma_position(options.chroma_position());
  Clip result{clip.format, {}, clip.infos, clip.properties};
  result.format.width *= 2;
  result.format.height *= 2;
  for (const Picture& frame : clip.frames) {
    const Picture rows = with_rows_between(network, frame);
    Picture picture = turned_over(with_rows_between(network, turned_over(rows)));
    const ResizeModel siting(sites, picture.format, clip.properties.chroma_siting);
    for (int plane = 0; plane < picture.format.planes(); plane++) {
      const bool is_luma = plane == 0;
      Map map(picture.format.plane_width(plane), picture.format.plane_height(plane));
      std::ranges::copy(picture.planes[size_t(plane)], map.values.begin());
      map = moved(map, true, is_luma ? 1 : columns_of_chroma(picture.format.chroma),
                  is_luma ? 0.5 : siting.chroma_x);
      map = moved(map, false, is_luma ? 1 : rows_of_chroma(picture.format.chroma),
                  is_luma ? 0.5 : siting.chroma_y);
      const double most = double((1 << picture.format.bit_depth) - 1);
      for (size_t i = 0; i < map.values.size(); i++)
        picture.planes[size_t(plane)][i] = uint16_t(std::clamp(std::floor(map.values[i] + 0.5), 0.0, most));
    }
    result.frames.push_back(std::move(picture));
  }
  return result;
}

}  // namespace weft::filters::plain
