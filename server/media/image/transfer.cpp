// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/transfer.h"

#include <algorithm>
#include <cmath>

namespace weft::media {

double Transfer::to_linear(double stored) const {
  if (curve == Curve::kGamma) return exponent == 1 ? stored : std::pow(stored, 1 / exponent);
  return stored <= 0.04045 ? stored / 12.92 : std::pow((stored + 0.055) / 1.055, 2.4);
}

double Transfer::to_stored(double linear) const {
  if (curve == Curve::kGamma) return exponent == 1 ? linear : std::pow(linear, exponent);
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

std::vector<float> linear_table(const Transfer& transfer, int bit_depth) {
  const size_t codes = size_t{1} << bit_depth;
  std::vector<float> table(codes);
  for (size_t code = 0; code < codes; code++)
    table[code] = float(transfer.to_linear(double(code) / double(codes - 1)));
  return table;
}

uint16_t to_code(const Transfer& transfer, int bit_depth, float linear) {
  if (!(linear > 0)) return 0;
  const double largest = double((1 << bit_depth) - 1);
  const double stored = transfer.to_stored(std::min(double(linear), 1.0));
  return uint16_t(std::min(std::floor(stored * largest + 0.5), largest));
}

}  // namespace weft::media
