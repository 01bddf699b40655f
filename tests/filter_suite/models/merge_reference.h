// SPDX-License-Identifier: Apache-2.0
// Model of the mix of two chains, written from its definition. Only tests include it.
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

// Returns the mask: 0 to 255 for each luma sample.
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

// Position of a chroma sample, in luma samples. Between two luma samples the mask is their mean.
struct MaskSiting {
  double x, y;
};
inline MaskSiting chroma_offset_of(const VideoFormat& format, ChromaSiting site, int x, int y) {
  const bool is_centre =
      site == ChromaSiting::kCentre || site == ChromaSiting::kTop || site == ChromaSiting::kBottom;
  const bool is_top = site == ChromaSiting::kTop || site == ChromaSiting::kTopLeft;
  const bool is_bottom = site == ChromaSiting::kBottom || site == ChromaSiting::kBottomLeft;
  const int columns = columns_of_chroma(format.chroma), rows = rows_of_chroma(format.chroma);
  return {x * columns + (is_centre ? (columns - 1) / 2.0 : 0), y * rows + (is_top      ? 0
                                                                           : is_bottom ? rows - 1
                                                                                       : (rows - 1) / 2.0)};
}

inline Picture mixed(const Picture& a, const Picture& b, const Picture& mask, ChromaSiting site) {
  Picture result = a;
  for (int plane = 0; plane < a.format.planes(); plane++)
    for (int y = 0; y < a.format.plane_height(plane); y++)
      for (int x = 0; x < a.format.plane_width(plane); x++) {
        const MaskSiting siting =
            plane == 0 ? MaskSiting{double(x), double(y)} : chroma_offset_of(a.format, site, x, y);
        int sum = 0;
        for (const double v : {std::floor(siting.y), std::ceil(siting.y)})
          for (const double u : {std::floor(siting.x), std::ceil(siting.x)})
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
        mixed(a.frames[i], b.frames[i], mask_of_picture(options, a.frames[i]), a.properties.chroma_siting);
  return result;
}

}  // namespace weft::filters::plain
