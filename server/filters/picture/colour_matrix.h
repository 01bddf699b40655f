// SPDX-License-Identifier: Apache-2.0
// Codes of video and what they mean: ITU-T H.273's matrices and ranges. Pure functions, any thread.
#pragma once

#include <array>

#include "base/status.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"

namespace weft::filters {

// Weights of red and blue in luma; green has the rest.
struct MatrixWeights {
  double red = 0;
  double blue = 0;
  bool operator==(const MatrixWeights&) const = default;
};

// Of a matrix as PictureProperties has it, and of pictures of so many rows where it is not known. INVALID_ARGUMENT: it is another than
// BT.601, BT.709 and BT.2020 (not constant luminance).
StatusOr<MatrixWeights> matrix_weights(const VideoColour& colour, int height);

// Luma's code is offset + y * luma with y from 0 to 1, chroma's middle + c * chroma with c from -0.5 to 0.5.
struct CodeRange {
  double offset = 0;
  double luma = 0;
  double middle = 0;
  double chroma = 0;
};
CodeRange code_range(bool is_full_range, int bit_depth);

// Luma, blue and red chroma; from red, green and blue and back. All as fractions.
using Triple = std::array<double, 3>;
Triple from_rgb(const MatrixWeights& weights, const Triple& rgb);
Triple to_rgb(const MatrixWeights& weights, const Triple& luma_and_chroma);

}  // namespace weft::filters
