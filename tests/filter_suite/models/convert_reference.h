// SPDX-License-Identifier: Apache-2.0
// Model of the conversion of code values, written from its definition. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/filter_suite/clip.h"
#include "weft/v1/convert.pb.h"

namespace weft::filters::plain {

// The format and the colour properties that give a picture's code values their meaning.
struct Codes {
  VideoFormat format;
  VideoColour colour;
  double red() const { return matrix() == 1 ? 0.2126 : matrix() == 9 ? 0.2627 : 0.299; }
  double blue() const { return matrix() == 1 ? 0.0722 : matrix() == 9 ? 0.0593 : 0.114; }
  int matrix() const { return colour.matrix != 2 ? colour.matrix : format.height >= 720 ? 1 : 6; }
  int64_t zero(int plane) const {
    return int64_t(plane > 0 ? 128 : colour.is_full_range ? 0 : 16) << (format.bit_depth - 8);
  }
  double swing(int plane) const {
    if (colour.is_full_range) return double((1 << format.bit_depth) - 1);
    return double((plane > 0 ? 224 : 219) << (format.bit_depth - 8));
  }
};

inline Codes converted_codes(const v1::Convert& options, const Codes& source) {
  Codes target = source;
  if (options.has_bits()) target.format.bit_depth = options.bits();
  if (options.chroma() == v1::CHROMA_LAYOUT_GRAY) target.format.chroma = Chroma::kGray;
  if (options.chroma() == v1::CHROMA_LAYOUT_420) target.format.chroma = Chroma::k420;
  if (options.chroma() == v1::CHROMA_LAYOUT_422) target.format.chroma = Chroma::k422;
  if (options.chroma() == v1::CHROMA_LAYOUT_444) target.format.chroma = Chroma::k444;
  if (options.matrix() == v1::COLOUR_MATRIX_BT601) target.colour.matrix = 6;
  if (options.matrix() == v1::COLOUR_MATRIX_BT709) target.colour.matrix = 1;
  if (options.matrix() == v1::COLOUR_MATRIX_BT2020) target.colour.matrix = 9;
  if (options.range() != v1::SAMPLE_RANGE_UNSPECIFIED)
    target.colour.is_full_range = options.range() == v1::SAMPLE_RANGE_FULL;
  return target;
}

// Returns the weight of the source's component `of` (0 luma, 1 blue, 2 red) in component `plane` of
// the target, for values as fractions.
inline double share(const Codes& source, const Codes& target, int plane, int of) {
  if (source.red() == target.red()) return plane == of ? 1 : 0;
  if (of == 0) return plane == 0 ? 1 : 0;
  const double r = of == 2 ? 2 * (1 - source.red()) : 0, b = of == 1 ? 2 * (1 - source.blue()) : 0;
  const double g = (-source.red() * r - source.blue() * b) / (1 - source.red() - source.blue());
  const double y = target.red() * r + (1 - target.red() - target.blue()) * g + target.blue() * b;
  return plane == 0   ? y
         : plane == 1 ? (b - y) / (2 * (1 - target.blue()))
                      : (r - y) / (2 * (1 - target.red()));
}

// The weights of the source's chroma samples along one side for a sample of the target, in eighths.
struct SideOfChroma {
  int count;          // number of source samples
  int step, to_step;  // luma samples per source sample and per target sample
  double siting;      // position of a chroma sample among its luma samples: 0 first, 1 last
  int eighths(int i, int j) const {
    const double at = (to_step * i + siting * (to_step - 1) - siting * (step - 1)) / step,
                 distance = std::abs(at - j);
    if (to_step <= step) return int(std::max(0.0, 8 - 8 * distance));
    if (at != std::floor(at)) return distance < 1 ? 4 : 0;
    return distance == 0 ? 4 : distance == 1 ? 2 : 0;
  }
};
// Returns 64 times the chroma value at a sample of the target.
inline int64_t chroma_there(const Picture& picture, int plane, const SideOfChroma& columns,
                            const SideOfChroma& rows, int x, int y) {
  int64_t sum = 0;
  const int i = x * columns.to_step / columns.step, k = y * rows.to_step / rows.step;
  for (int v = k - 3; v <= k + 3; v++) {
    const int64_t of_row = rows.eighths(y, v);
    for (int u = i - 3; of_row != 0 && u <= i + 3; u++)
      sum += columns.eighths(x, u) * of_row *
             picture.at(plane, std::clamp(u, 0, columns.count - 1), std::clamp(v, 0, rows.count - 1));
  }
  return sum;
}

inline int bayer(int x, int y) {  // the usual recursion: four times the matrix of half the side
  int value = 0;
  for (int side = 8, weight = 1; side >= 1; side /= 2, weight *= 4) {
    constexpr int kTwo[2][2] = {{0, 2}, {3, 1}};
    value += weight * kTwo[y / side % 2][x / side % 2];
  }
  return value;
}

// Returns the offset added before a code is rounded down, in units of 2^-40.
inline int64_t threshold_at(const v1::Convert& options, const Codes& source, const Codes& target, int x,
                            int y) {
  const int64_t one = int64_t(1) << 40;
  if (options.dither() != v1::DITHER_ORDERED || target.format.bit_depth >= source.format.bit_depth)
    return one / 2;
  int64_t edge = 0;
  if (source.colour.is_full_range && target.colour.is_full_range)
    edge = one / (2 * ((1 << source.format.bit_depth) - 1)) * ((1 << target.format.bit_depth) - 1);
  const int64_t step = (one - 2 * edge) / 256;
  return edge + step / 2 + step * bayer(x % 16, y % 16);
}

inline Picture converted(const v1::Convert& options, const Codes& source, const Codes& target,
                         ChromaSiting site, const Picture& frame) {
  Picture result(target.format);
  const bool is_centre_x =
      site == ChromaSiting::kCentre || site == ChromaSiting::kTop || site == ChromaSiting::kBottom;
  const bool is_top = site == ChromaSiting::kTop || site == ChromaSiting::kTopLeft;
  const bool is_bottom = site == ChromaSiting::kBottom || site == ChromaSiting::kBottomLeft;
  const bool has_chroma = source.format.planes() > 1;
  const auto unit = [](double value) { return std::llround(value * double(int64_t(1) << 40)); };
  for (int plane = 0; plane < target.format.planes(); plane++) {
    const Chroma from = source.format.chroma, to = target.format.chroma;
    const SideOfChroma columns{source.format.plane_width(1), columns_of_chroma(from),
                               plane > 0 ? columns_of_chroma(to) : 1, is_centre_x ? 0.5 : 0};
    const SideOfChroma rows{source.format.plane_height(1), rows_of_chroma(from),
                            plane > 0 ? rows_of_chroma(to) : 1,
                            is_top      ? 0
                            : is_bottom ? 1
                                        : 0.5};
    int64_t counts[3];
    for (int of = 0; of < 3; of++)
      counts[of] = of > 0 && !has_chroma ? 0
                                         : unit(share(source, target, plane, of) * target.swing(plane) /
                                                source.swing(of) / (of > 0 ? 64 : 1));
    for (int y = 0; y < target.format.plane_height(plane); y++)
      for (int x = 0; x < target.format.plane_width(plane); x++) {
        int64_t sum = (target.zero(plane) << 40) + threshold_at(options, source, target, x, y);
        if (plane == 0) sum += counts[0] * (frame.at(0, x, y) - source.zero(0));
        for (int of = 1; of < 3; of++)
          if (counts[of] != 0)
            sum += counts[of] * (chroma_there(frame, of, columns, rows, x, y) - 64 * source.zero(of));
        result.at(plane, x, y) =
            uint16_t(std::clamp<int64_t>(sum >> 40, 0, (1 << target.format.bit_depth) - 1));
      }
  }
  return result;
}

inline Clip convert(const v1::Convert& options, const Clip& clip) {
  const Codes source{clip.format, clip.properties.colour}, target = converted_codes(options, source);
  Clip result{target.format, {}, clip.infos, clip.properties};
  result.properties.colour = target.colour;
  for (const Picture& frame : clip.frames)
    result.frames.push_back(converted(options, source, target, clip.properties.chroma_siting, frame));
  return result;
}

}  // namespace weft::filters::plain
