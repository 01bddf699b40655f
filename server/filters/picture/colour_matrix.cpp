// SPDX-License-Identifier: Apache-2.0
#include "server/filters/picture/colour_matrix.h"

namespace weft::filters {
namespace {

// rows from which on an unknown matrix is assumed to be BT.709
constexpr int kHighDefinition = 720;

}  // namespace

StatusOr<MatrixWeights> matrix_weights(const VideoColour& colour, int height) {
  const int matrix = colour.matrix != 2 ? colour.matrix : height >= kHighDefinition ? 1 : 6;
  switch (matrix) {
    case 1:
      return MatrixWeights{0.2126, 0.0722};
    case 5:
    case 6:
      return MatrixWeights{0.299, 0.114};
    case 9:
      return MatrixWeights{0.2627, 0.0593};
    default:
      return invalid_argument(
          "The video's matrix ({} of ITU-T H.273) is not known here; BT.601, BT.709 and BT.2020 (not "
          "constant luminance) are.",
          matrix);
  }
}

CodeRange code_range(bool is_full_range, int bit_depth) {
  const double unit = double(1 << (bit_depth - 8)), most = double((1 << bit_depth) - 1);
  if (is_full_range) return {0, most, 128 * unit, most};
  return {16 * unit, 219 * unit, 128 * unit, 224 * unit};
}

Triple from_rgb(const MatrixWeights& weights, const Triple& rgb) {
  const auto& [red, green, blue] = rgb;
  const double luma = weights.red * red + (1 - weights.red - weights.blue) * green + weights.blue * blue;
  return {luma, (blue - luma) / (2 * (1 - weights.blue)), (red - luma) / (2 * (1 - weights.red))};
}

Triple to_rgb(const MatrixWeights& weights, const Triple& luma_and_chroma) {
  const auto& [luma, cb, cr] = luma_and_chroma;
  const double red = luma + 2 * (1 - weights.red) * cr, blue = luma + 2 * (1 - weights.blue) * cb;
  return {red, (luma - weights.red * red - weights.blue * blue) / (1 - weights.red - weights.blue), blue};
}

}  // namespace weft::filters
