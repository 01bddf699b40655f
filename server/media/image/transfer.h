// SPDX-License-Identifier: Apache-2.0
// Converts between stored integers and linear light: sRGB, a pure gamma, or linear codes.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::media {

// A transfer function: sRGB of IEC 61966-2-1, or a gamma. The exponent encodes, as in PNG's gAMA:
// stored = linear ^ exponent.
struct Transfer {
  enum class Curve { kSrgb, kGamma } curve = Curve::kSrgb;
  double exponent = 1;  // exponent of kGamma; 1: linear

  bool operator==(const Transfer&) const = default;
  double to_linear(double stored) const;  // argument and result from 0 to 1
  double to_stored(double linear) const;
};
inline constexpr Transfer kLinearTransfer{Transfer::Curve::kGamma, 1};
// exponents outside kMinGamma to kMaxGamma lose precision of 16 bits as floats
inline constexpr double kMinGamma = 0.2;
inline constexpr double kMaxGamma = 5.0;

// Returns the linear value of each code of `bit_depth` bits.
std::vector<float> linear_table(const Transfer& transfer, int bit_depth);
// Returns the nearest code. Values outside 0 to 1 are clamped; NaN gives 0.
uint16_t to_code(const Transfer& transfer, int bit_depth, float linear);

}  // namespace weft::media
