// SPDX-License-Identifier: Apache-2.0
// Models of resizing, written from its definition: one with the integers of all devices, and one in
// double precision, which the output of all devices must be close to. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/filter_suite/clip.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::plain {

// The resampling along one side of one plane.
struct ResizeSide {
  int from, to;  // samples of the plane along the side
  double ratio;  // input size divided by output size
  double step;   // luma samples per sample of the plane
  double first;  // position of the first sample, in luma samples
  double centre(int i) const { return ((step * i + first) * ratio - first) / step + 0.5; }
};

inline double sin_over(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

// Returns the cardinal spline over 4, 6 or 8 samples, by its pieces.
inline double cardinal_spline(int pieces, double x) {
  const int piece = int(x);
  const double t = x - piece;
  if (pieces == 2)
    return piece == 0 ? ((t - 9.0 / 5) * t - 1.0 / 5) * t + 1 : ((-1.0 / 3 * t + 4.0 / 5) * t - 7.0 / 15) * t;
  if (pieces == 3) {
    if (piece == 0) return ((13.0 / 11 * t - 453.0 / 209) * t - 3.0 / 209) * t + 1;
    if (piece == 1) return ((-6.0 / 11 * t + 270.0 / 209) * t - 156.0 / 209) * t;
    return ((1.0 / 11 * t - 45.0 / 209) * t + 26.0 / 209) * t;
  }
  if (piece == 0) return ((49.0 / 41 * t - 6387.0 / 2911) * t - 3.0 / 2911) * t + 1;
  if (piece == 1) return ((-24.0 / 41 * t + 4032.0 / 2911) * t - 2328.0 / 2911) * t;
  if (piece == 2) return ((6.0 / 41 * t - 1008.0 / 2911) * t + 582.0 / 2911) * t;
  return ((-1.0 / 41 * t + 168.0 / 2911) * t - 97.0 / 2911) * t;
}

inline double mitchell(double x, double b, double c) {
  const double x2 = x * x, x3 = x2 * x;
  if (x < 1) return ((12 - 9 * b - 6 * c) * x3 + (-18 + 12 * b + 6 * c) * x2 + 6 - 2 * b) / 6;
  return ((-b - 6 * c) * x3 + (6 * b + 30 * c) * x2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
}

struct ResizeKernelModel {
  double reach;
  double (*at)(const v1::Resize& options, double x);
};
inline ResizeKernelModel model_of(const v1::Resize& options) {
  using O = const v1::Resize&;
  switch (options.kernel()) {
    case v1::RESIZE_KERNEL_BILINEAR:
      return {1, [](O, double x) { return 1 - x; }};
    case v1::RESIZE_KERNEL_BICUBIC:
      return {2, [](O o, double x) { return mitchell(x, o.b(), o.c()); }};
    case v1::RESIZE_KERNEL_LANCZOS2:
      return {2, [](O, double x) { return sin_over(x) * sin_over(x / 2); }};
    case v1::RESIZE_KERNEL_LANCZOS3:
      return {3, [](O, double x) { return sin_over(x) * sin_over(x / 3); }};
    case v1::RESIZE_KERNEL_LANCZOS4:
      return {4, [](O, double x) { return sin_over(x) * sin_over(x / 4); }};
    case v1::RESIZE_KERNEL_SPLINE16:
      return {2, [](O, double x) { return cardinal_spline(2, x); }};
    case v1::RESIZE_KERNEL_SPLINE36:
      return {3, [](O, double x) { return cardinal_spline(3, x); }};
    case v1::RESIZE_KERNEL_SPLINE64:
      return {4, [](O, double x) { return cardinal_spline(4, x); }};
    case v1::RESIZE_KERNEL_BLACKMAN:
      return {double(options.taps()), [](O o, double x) {
                const double turn = std::numbers::pi * x / o.taps();
                return sin_over(x) * (0.42 + 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn));
              }};
    case v1::RESIZE_KERNEL_GAUSS:
      return {4, [](O o, double x) { return std::pow(2.0, -0.1 * o.sharpness() * x * x); }};
    case v1::RESIZE_KERNEL_SINC:
      return {double(options.taps()), [](O, double x) { return sin_over(x); }};
    default:
      return {0, nullptr};  // nearest neighbour
  }
}

// Returns the weights of the input samples in output sample `i`.
inline std::vector<double> weights_of_sample(const v1::Resize& options, const ResizeSide& side, int i) {
  std::vector<double> weights(size_t(side.from), 0.0);
  const ResizeKernelModel kernel = model_of(options);
  const double centre = side.centre(i), wider = side.ratio > 1 ? side.ratio : 1.0;
  const auto index = [&](int j) -> double& { return weights[size_t(std::clamp(j, 0, side.from - 1))]; };
  if (side.ratio == 1) {
    index(i) = 1;
  } else if (kernel.at == nullptr) {
    index(int(std::floor(centre))) = 1;
  } else {
    for (int j = int(std::floor(centre - kernel.reach * wider)) - 1; j < centre + kernel.reach * wider + 1;
         j++) {
      const double x = std::abs(j + 0.5 - centre) / wider;
      if (x < kernel.reach) index(j) += kernel.at(options, x);
    }
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

// The two enumerations have the same order from the left position on.
inline ChromaSiting site_of_chroma(v1::ChromaPosition position, ChromaSiting known) {
  return position < v1::CHROMA_POSITION_LEFT ? known
                                             : ChromaSiting(int(position) - int(v1::CHROMA_POSITION_LEFT));
}

// The resampled sides of a picture's planes and its new size.
struct ResizeModel {
  VideoFormat from, to;
  // position of the first chroma sample, in luma samples from the left and upper edge
  double chroma_x, chroma_y;

  ResizeModel(const v1::Resize& options, const VideoFormat& format, ChromaSiting known)
      : from(format), to(format) {
    std::sscanf(options.size().c_str(), "%dx%d", &to.width, &to.height);
    const auto kept = [](int n, int other, int side, int other_side) {
      return int(std::floor(double(other) * side / (double(other_side) * n) + 0.5)) * n;
    };
    if (to.width < 0) to.width = kept(-to.width, to.height, from.width, from.height);
    if (to.height < 0) to.height = kept(-to.height, to.width, from.height, from.width);
    const ChromaSiting site = site_of_chroma(options.chroma_position(), known);
    const int columns = columns_of_chroma(from.chroma), rows = rows_of_chroma(from.chroma);
    const auto is = [&](ChromaSiting a, ChromaSiting b) { return site == a || site == b; };
    chroma_x =
        is(ChromaSiting::kCentre, ChromaSiting::kTop) || site == ChromaSiting::kBottom ? columns / 2.0 : 0.5;
    chroma_y = is(ChromaSiting::kTop, ChromaSiting::kTopLeft)         ? 0.5
               : is(ChromaSiting::kBottom, ChromaSiting::kBottomLeft) ? rows - 0.5
                                                                      : rows / 2.0;
  }
  ResizeSide rows(int plane) const {
    return {from.plane_width(plane), to.plane_width(plane), double(from.width) / to.width,
            plane > 0 ? double(columns_of_chroma(from.chroma)) : 1, plane > 0 ? chroma_x : 0.5};
  }
  ResizeSide columns(int plane) const {
    return {from.plane_height(plane), to.plane_height(plane), double(from.height) / to.height,
            plane > 0 ? double(rows_of_chroma(from.chroma)) : 1, plane > 0 ? chroma_y : 0.5};
  }
};

// A matrix with a row of weights for each output sample of a side.
using SideWeights = std::vector<std::vector<double>>;
inline SideWeights all_weights(const v1::Resize& options, const ResizeSide& side) {
  SideWeights all;
  for (int i = 0; i < side.to; i++) all.push_back(weights_of_sample(options, side, i));
  return all;
}
// Returns the largest possible number of weights of an output sample.
inline int taps_of(const v1::Resize& options, const ResizeSide& side) {
  const ResizeKernelModel kernel = model_of(options);
  if (side.ratio == 1 || kernel.at == nullptr) return 1;
  return std::min(int(std::ceil(2 * kernel.reach * std::max(side.ratio, 1.0))), side.from);
}
inline bool is_exact_in_16_bits(const v1::Resize& options, const ResizeSide& side, int bit_depth) {
  for (const auto& weights : all_weights(options, side)) {
    double sum = 0;
    for (const double weight : weights) sum += std::abs(weight);
    if (sum > 1.9) return false;
  }
  return bit_depth <= 10 && double(taps_of(options, side)) * std::exp2(bit_depth) <= 32768;
}
// Samples with their weights in units of 2^-bits; weights of 0 are left out. The rounding error is
// added to the largest weight.
using Units = std::vector<std::pair<int, int64_t>>;
inline Units in_units(const std::vector<double>& weights, int bits) {
  std::vector<int64_t> units;
  int64_t sum = 0;
  for (const double weight : weights) {
    units.push_back(std::llround(weight * double(int64_t(1) << bits)));
    sum += units.back();
  }
  *std::max_element(units.begin(), units.end()) += (int64_t(1) << bits) - sum;
  Units result;
  for (size_t j = 0; j < units.size(); j++)
    if (units[j] != 0) result.emplace_back(int(j), units[j]);
  return result;
}

// Divides a sum by 2^bits, rounded.
inline int64_t rounded(int64_t sum, int bits) { return (sum + (int64_t(1) << (bits - 1))) >> bits; }

struct IntegerPlane {
  std::vector<Units> rows, columns;
};
// The integer weights of all planes. `is_narrow`: 16 bits between the passes are exact enough.
struct IntegerResize {
  std::vector<IntegerPlane> planes;
  bool is_narrow = true;
  int bits() const { return is_narrow ? 16 : 26; }

  IntegerResize(const v1::Resize& options, const ResizeModel& model) {
    const int count = model.from.planes();
    for (int plane = 0; plane < count; plane++)
      is_narrow = is_narrow && is_exact_in_16_bits(options, model.rows(plane), model.from.bit_depth) &&
                  is_exact_in_16_bits(options, model.columns(plane), model.from.bit_depth);
    for (int plane = 0; plane < count; plane++) {
      IntegerPlane made;
      for (const auto& weights : all_weights(options, model.rows(plane)))
        made.rows.push_back(in_units(weights, bits()));
      for (const auto& weights : all_weights(options, model.columns(plane)))
        made.columns.push_back(in_units(weights, bits()));
      planes.push_back(std::move(made));
    }
  }
};

inline Picture resized_in_integers(const IntegerResize& sums, const ResizeModel& model,
                                   const Picture& frame) {
  Picture result(model.to);
  const int depth = model.from.bit_depth, half = 1 << (depth - 1);
  const int fraction = sums.is_narrow ? 13 - depth : 8;
  for (int plane = 0; plane < model.from.planes(); plane++) {
    const auto& [rows, columns] = sums.planes[size_t(plane)];
    std::vector<std::vector<int64_t>> middle(size_t(model.columns(plane).from));
    for (size_t y = 0; y < middle.size(); y++)
      for (const Units& weights : rows) {
        int64_t sum = 0;
        for (const auto& [j, weight] : weights) sum += weight * (frame.at(plane, j, int(y)) - half);
        middle[y].push_back(rounded(sum, sums.bits() - fraction));
      }
    for (size_t y = 0; y < columns.size(); y++)
      for (size_t x = 0; x < rows.size(); x++) {
        int64_t sum = 0;
        for (const auto& [j, weight] : columns[y]) sum += weight * middle[size_t(j)][x];
        const int64_t code = rounded(sum, sums.bits() + fraction) + half;
        result.at(plane, int(x), int(y)) = uint16_t(std::clamp<int64_t>(code, 0, 2 * half - 1));
      }
  }
  return result;
}

inline Clip resize(const v1::Resize& options, const Clip& clip) {
  const ResizeModel model(options, clip.format, clip.properties.chroma_siting);
  const IntegerResize sums(options, model);
  Clip result{model.to, {}, clip.infos, clip.properties};
  result.properties.chroma_siting = site_of_chroma(options.chroma_position(), clip.properties.chroma_siting);
  for (const Picture& frame : clip.frames) result.frames.push_back(resized_in_integers(sums, model, frame));
  return result;
}

// Returns the samples of each plane in double precision, neither rounded nor clamped.
inline std::vector<std::vector<double>> resized_in_doubles(const v1::Resize& options, const Picture& frame,
                                                           ChromaSiting known = ChromaSiting::kUnknown) {
  const ResizeModel model(options, frame.format, known);
  std::vector<std::vector<double>> result;
  for (int plane = 0; plane < model.from.planes(); plane++) {
    const SideWeights rows = all_weights(options, model.rows(plane)),
                      columns = all_weights(options, model.columns(plane));
    std::vector<double> samples;
    for (const auto& down : columns)
      for (const auto& across : rows) {
        double sum = 0;
        for (size_t y = 0; y < down.size(); y++)
          for (size_t x = 0; down[y] != 0 && x < across.size(); x++)
            sum += down[y] * across[x] * frame.at(plane, int(x), int(y));
        samples.push_back(sum);
      }
    result.push_back(std::move(samples));
  }
  return result;
}

}  // namespace weft::filters::plain
