// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/resize_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace weft::filters {
namespace {

using std::numbers::pi;

double sinc(double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }
double lanczos(double x, double lobes) { return sinc(x) * sinc(x / lobes); }

// Mitchell and Netravali's k(x).
double bicubic(double x, double b, double c) {
  if (x < 1) return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
}

// A piece of a spline between two samples: ((a t + b) t + c) t + d.
struct SplineSegment {
  double a, b, c, d;
  double at(double t) const { return ((a * t + b) * t + c) * t + d; }
};
constexpr std::array<SplineSegment, 2> kSpline16{
    {{1, -9.0 / 5, -1.0 / 5, 1}, {-1.0 / 3, 4.0 / 5, -7.0 / 15, 0}}};
constexpr std::array<SplineSegment, 3> kSpline36{{{13.0 / 11, -453.0 / 209, -3.0 / 209, 1},
                                                  {-6.0 / 11, 270.0 / 209, -156.0 / 209, 0},
                                                  {1.0 / 11, -45.0 / 209, 26.0 / 209, 0}}};
constexpr std::array<SplineSegment, 4> kSpline64{{{49.0 / 41, -6387.0 / 2911, -3.0 / 2911, 1},
                                                  {-24.0 / 41, 4032.0 / 2911, -2328.0 / 2911, 0},
                                                  {6.0 / 41, -1008.0 / 2911, 582.0 / 2911, 0},
                                                  {-1.0 / 41, 168.0 / 2911, -97.0 / 2911, 0}}};
double spline(std::span<const SplineSegment> segments, double x) {
  const auto segment = size_t(x);
  return segments[segment].at(x - double(segment));
}

double blackman(double x, double taps) {
  return sinc(x) * (0.42 + 0.5 * std::cos(pi * x / taps) + 0.08 * std::cos(2 * pi * x / taps));
}

// Returns the centre of a plane's sample `i`, in samples from the first one's left edge.
double centre_of(const Side& side, int i) {
  const double ratio = double(side.luma_from) / side.luma_to;
  const double offset = 0.5 + side.siting * (side.step - 1);  // in luma samples
  return ((side.step * double(i) + offset) * ratio - offset) / side.step + 0.5 + side.shift;
}

FilterWeights nearest(const Side& side, bool stays) {
  FilterWeights filter{1, {}, {}};
  for (int i = 0; i < side.to; i++) {
    filter.first.push_back(stays ? i : std::clamp(int(std::floor(centre_of(side, i))), 0, side.from - 1));
    filter.weights.push_back(1);
  }
  return filter;
}

}  // namespace

double kernel_reach(const v1::Resize& options) {
  switch (options.kernel()) {
    case v1::RESIZE_KERNEL_POINT:
      return 0.5;
    case v1::RESIZE_KERNEL_BILINEAR:
      return 1;
    case v1::RESIZE_KERNEL_LANCZOS3:
    case v1::RESIZE_KERNEL_SPLINE36:
      return 3;
    case v1::RESIZE_KERNEL_LANCZOS4:
    case v1::RESIZE_KERNEL_SPLINE64:
    case v1::RESIZE_KERNEL_GAUSS:
      return 4;
    case v1::RESIZE_KERNEL_BLACKMAN:
    case v1::RESIZE_KERNEL_SINC:
      return options.taps();
    default:
      return 2;
  }
}

double kernel_weight(const v1::Resize& options, double distance) {
  const double x = std::abs(distance);
  if (x >= kernel_reach(options)) return 0;
  switch (options.kernel()) {
    case v1::RESIZE_KERNEL_BILINEAR:
      return 1 - x;
    case v1::RESIZE_KERNEL_BICUBIC:
      return bicubic(x, options.b(), options.c());
    case v1::RESIZE_KERNEL_LANCZOS2:
      return lanczos(x, 2);
    case v1::RESIZE_KERNEL_LANCZOS3:
      return lanczos(x, 3);
    case v1::RESIZE_KERNEL_LANCZOS4:
      return lanczos(x, 4);
    case v1::RESIZE_KERNEL_SPLINE16:
      return spline(kSpline16, x);
    case v1::RESIZE_KERNEL_SPLINE36:
      return spline(kSpline36, x);
    case v1::RESIZE_KERNEL_SPLINE64:
      return spline(kSpline64, x);
    case v1::RESIZE_KERNEL_BLACKMAN:
      return blackman(x, options.taps());
    case v1::RESIZE_KERNEL_GAUSS:
      return std::exp2(-options.sharpness() / 10 * x * x);
    case v1::RESIZE_KERNEL_SINC:
      return sinc(x);
    default:
      return 1;
  }
}

ChromaSiting chroma_siting(v1::ChromaPosition position, ChromaSiting of_video) {
  switch (position) {
    case v1::CHROMA_POSITION_LEFT:
      return ChromaSiting::kLeft;
    case v1::CHROMA_POSITION_CENTRE:
      return ChromaSiting::kCentre;
    case v1::CHROMA_POSITION_TOP_LEFT:
      return ChromaSiting::kTopLeft;
    case v1::CHROMA_POSITION_TOP:
      return ChromaSiting::kTop;
    case v1::CHROMA_POSITION_BOTTOM_LEFT:
      return ChromaSiting::kBottomLeft;
    case v1::CHROMA_POSITION_BOTTOM:
      return ChromaSiting::kBottom;
    default:
      return of_video;
  }
}

ChromaOffset chroma_offset(v1::ChromaPosition position, ChromaSiting of_video) {
  switch (chroma_siting(position, of_video)) {
    case ChromaSiting::kCentre:
      return {0.5, 0.5};
    case ChromaSiting::kTopLeft:
      return {0, 0};
    case ChromaSiting::kTop:
      return {0.5, 0};
    case ChromaSiting::kBottomLeft:
      return {0, 1};
    case ChromaSiting::kBottom:
      return {0.5, 1};
    case ChromaSiting::kUnknown:
    case ChromaSiting::kLeft:
      break;
  }
  return {0, 0.5};
}

double FilterWeights::largest_sum() const {
  double largest = 0;
  for (size_t begin = 0; begin < weights.size(); begin += size_t(taps)) {
    double sum = 0;
    for (size_t k = 0; k < size_t(taps); k++) sum += std::abs(weights[begin + k]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

Status check_weights(const FilterWeights& filter) {
  constexpr double kMost = 30;  // limit that fixed-point weights can represent
  const double sum = filter.largest_sum();
  if (sum <= kMost) return ok_status();
  return invalid_argument(
      "The kernel's weights nearly cancel each other out at this size (their absolute values sum up to "
      "{:.3g}, at most "
      "{}); let b and c be nearer to 0.",
      sum, kMost);
}

FilterWeights filter_weights(const v1::Resize& options, const Side& side) {
  const bool stays = side.luma_from == side.luma_to && side.shift == 0;
  if (stays || options.kernel() == v1::RESIZE_KERNEL_POINT) return nearest(side, stays);
  const double wider = std::max(double(side.luma_from) / side.luma_to, 1.0);
  const double reach = kernel_reach(options) * wider;
  const int covered = int(std::ceil(2 * reach));
  FilterWeights filter{std::min(covered, side.from), {}, {}};
  for (int i = 0; i < side.to; i++) {
    const double centre = centre_of(side, i);
    const int begin = int(std::ceil(centre - reach - 0.5));
    const int first = std::clamp(begin, 0, side.from - filter.taps);
    std::vector<double> weights(size_t(filter.taps), 0.0);
    double sum = 0;
    for (int j = begin; j < begin + covered; j++) {
      const double weight = kernel_weight(options, (j + 0.5 - centre) / wider);
      weights[size_t(std::clamp(j, 0, side.from - 1) - first)] += weight;
      sum += weight;
    }
    filter.first.push_back(first);
    for (const double weight : weights) filter.weights.push_back(weight / sum);
  }
  return filter;
}

std::vector<int> fixed_weights(const FilterWeights& filter, int bits) {
  std::vector<int> fixed;
  for (const double weight : filter.weights) fixed.push_back(int(std::lround(std::ldexp(weight, bits))));
  for (auto begin = fixed.begin(); begin != fixed.end(); begin += filter.taps) {
    int left = 1 << bits;
    for (auto weight = begin; weight != begin + filter.taps; weight++) left -= *weight;
    *std::max_element(begin, begin + filter.taps) += left;
  }
  return fixed;
}

}  // namespace weft::filters
