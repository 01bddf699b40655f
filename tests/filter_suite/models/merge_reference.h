// SPDX-License-Identifier: Apache-2.0
// Two chains mixed, written from the definition. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>

#include "server/filters/filter.h"
#include "tests/filter_suite/reference.h"
#include "weft/v1/filters.pb.h"

namespace weft::filters::plain {

inline Clip chain_of(const v1::Merge& options, const char* name, Clip clip) {
  for (const google::protobuf::Message* filter : filters_of(options, name)) clip = reference(*filter, clip);
  return clip;
}

// From 0 to 255 for each luma sample.
inline Picture mask_of_picture(const v1::Merge& options, const Picture& picture) {
  const int width = picture.format.width, height = picture.format.height;
  Picture mask({width, height, Chroma::kGray, 8});
  const double unit = 4.0 * (1 << (picture.format.bit_depth - 8));
  const int64_t low = std::lround(options.low() * unit),
                high = std::max<int64_t>(std::lround(options.high() * unit), low + 1);
  const auto at = [&](int x, int y) {
    return int64_t(picture.at(0, std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1)));
  };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      int64_t value = 4 * at(x, y);
      if (options.mask() == v1::MERGE_MASK_EDGES) {
        int64_t across = 0, along = 0;
        for (int k = -1; k <= 1; k++) {
          across += (2 - std::abs(k)) * (at(x + 1, y + k) - at(x - 1, y + k));
          along += (2 - std::abs(k)) * (at(x + k, y + 1) - at(x + k, y - 1));
        }
        value = int64_t(std::sqrt(double(across * across + along * along)));
      }
      value = std::clamp(value, low, high);
      mask.at(0, x, y) = uint16_t((2 * 255 * (value - low) + high - low) / (2 * (high - low)));
    }
  return mask;
}

// Where a chroma sample lies, in luma samples; between two of them it is their mean.
struct MaskPlace {
  double x, y;
};
inline MaskPlace place_of_chroma(const VideoFormat& format, ChromaSite site, int x, int y) {
  const bool is_centre =
      site == ChromaSite::kCentre || site == ChromaSite::kTop || site == ChromaSite::kBottom;
  const bool is_top = site == ChromaSite::kTop || site == ChromaSite::kTopLeft;
  const bool is_bottom = site == ChromaSite::kBottom || site == ChromaSite::kBottomLeft;
  const int columns = columns_of_chroma(format.chroma), rows = rows_of_chroma(format.chroma);
  return {x * columns + (is_centre ? (columns - 1) / 2.0 : 0), y * rows + (is_top      ? 0
                                                                           : is_bottom ? rows - 1
                                                                                       : (rows - 1) / 2.0)};
}

inline Picture mixed(const Picture& a, const Picture& b, const Picture& mask, ChromaSite site) {
  Picture result = a;
  for (int plane = 0; plane < a.format.planes(); plane++)
    for (int y = 0; y < a.format.plane_height(plane); y++)
      for (int x = 0; x < a.format.plane_width(plane); x++) {
        const MaskPlace place =
            plane == 0 ? MaskPlace{double(x), double(y)} : place_of_chroma(a.format, site, x, y);
        int sum = 0;
        for (const double v : {std::floor(place.y), std::ceil(place.y)})
          for (const double u : {std::floor(place.x), std::ceil(place.x)})
            sum += mask.at(0, std::min(int(u), a.format.width - 1), std::min(int(v), a.format.height - 1));
        const int full = (sum + 2) / 4;
        result.at(plane, x, y) =
            uint16_t((a.at(plane, x, y) * (255 - full) + b.at(plane, x, y) * full + 127) / 255);
      }
  return result;
}

inline Clip merge(const v1::Merge& options, const Clip& clip) {
  const Clip a = chain_of(options, "a", clip), b = chain_of(options, "b", clip);
  Clip result = a;
  for (size_t i = 0; i < a.frames.size(); i++)
    result.frames[i] =
        mixed(a.frames[i], b.frames[i], mask_of_picture(options, a.frames[i]), a.facts.chroma_site);
  return result;
}

}  // namespace weft::filters::plain
