// SPDX-License-Identifier: Apache-2.0
// Differences between samples, as options say them.
#pragma once

#include "base/video_format.h"

namespace weft::filters {

// Of 8 bits, in codes of the format.
inline int threshold_of(double of_8_bits, const VideoFormat& format) {
  return int(of_8_bits * double(1 << (format.bit_depth - 8)) + 0.5);
}

}  // namespace weft::filters
