// SPDX-License-Identifier: Apache-2.0
// Defines the quantisers of a coded picture, which travel with its frame from the decoder to the
// filters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace weft {

// The scale of a video's quantisers. A linear value is twice the quantiser_scale of MPEG-2 (ITU-T
// H.262, 7.4.2.2), 2 to 224; MPEG-1 and MPEG-4 part 2 are converted to it. A logarithmic value is
// the QP of H.264 for 8-bit samples, 0 to 51: the step doubles with each 6.
enum class QuantiserScale {
  kNone,         // the video has no quantisers
  kMisplaced,    // a filter has moved the samples, so that the quantisers no longer belong to them
  kLinear,       // MPEG-1, MPEG-2, MPEG-4 part 2
  kLogarithmic,  // H.264
};

// The quantisers of one picture: a value for each macroblock of 16x16 luma samples, row by row,
// from the top left corner of the picture. The table may be larger than the picture.
struct Quantisers {
  int columns = 0, rows = 0;  // number of macroblocks
  std::vector<uint8_t> values;
};
using QuantisersPtr = std::shared_ptr<const Quantisers>;

// The quantisers of a frame, and those of the newest picture up to it, in the order of display,
// that is not a B picture. Both are null if the decoder exports none.
struct FrameQuantisers {
  QuantisersPtr own{};
  QuantisersPtr reference{};
};

}  // namespace weft
