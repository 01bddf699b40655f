// SPDX-License-Identifier: Apache-2.0
// Defines the meaning of video's code values: the matrices and ranges of ITU-T H.273. The functions
// are pure; any thread may call them.
#pragma once

#include <array>

#include "base/status.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"

namespace weft::filters {

// Weights of red and blue in luma. The weight of green is the rest to 1.
struct MatrixWeights {
  double red = 0;
  double blue = 0;
  bool operator==(const MatrixWeights&) const = default;
};

// Returns the weights of a matrix, as in PictureProperties, or of the default for pictures of that
// height. INVALID_ARGUMENT: a matrix other than BT.601, BT.709 and BT.2020 (non-constant
// luminance).
StatusOr<MatrixWeights> matrix_weights(const VideoColour& colour, int height);

// The range of code values. The code value of luma is offset + y * luma with y from 0 to 1; that of
// chroma is middle + c * chroma with c from -0.5 to 0.5.
struct CodeRange {
  double offset = 0;
  double luma = 0;
  double middle = 0;
  double chroma = 0;
};
CodeRange code_range(bool is_full_range, int bit_depth);

// Convert red, green and blue to luma, blue and red chroma, and back. All values are fractions.
using Triple = std::array<double, 3>;
Triple from_rgb(const MatrixWeights& weights, const Triple& rgb);
Triple to_rgb(const MatrixWeights& weights, const Triple& luma_and_chroma);

}  // namespace weft::filters
