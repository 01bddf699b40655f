// SPDX-License-Identifier: Apache-2.0
// Between stored integers and linear light: sRGB, a pure gamma, or nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::media {

// sRGB is IEC 61966-2-1. A gamma is the exponent that encodes, as in PNG's gAMA: stored = linear ^ exponent.
struct Transfer {
  enum class Curve { kSrgb, kGamma } curve = Curve::kSrgb;
  double exponent = 1;  // of kGamma; 1 is linear

  bool operator==(const Transfer&) const = default;
  double to_linear(double stored) const;  // 0 to 1, both
  double to_stored(double linear) const;
};
inline constexpr Transfer kLinearTransfer{Transfer::Curve::kGamma, 1};
inline constexpr double kMinGamma = 0.2;  // beyond these, 16 bits do not survive floats
inline constexpr double kMaxGamma = 5.0;

// The linear value of each code of `bit_depth` bits.
std::vector<float> linear_table(const Transfer& transfer, int bit_depth);
// The nearest code; what lies outside 0 to 1 gives the nearest end, NaN gives 0.
uint16_t to_code(const Transfer& transfer, int bit_depth, float linear);

}  // namespace weft::media
