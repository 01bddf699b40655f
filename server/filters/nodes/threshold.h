// SPDX-License-Identifier: Apache-2.0
// Converts the differences between samples that options contain.
#pragma once

#include "base/video_format.h"

namespace weft::filters {

// Converts a threshold from 8-bit code values to code values of `format`.
inline int threshold_of(double of_8_bits, const VideoFormat& format) {
  return int(of_8_bits * double(1 << (format.bit_depth - 8)) + 0.5);
}

}  // namespace weft::filters
