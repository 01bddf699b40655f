// SPDX-License-Identifier: Apache-2.0
// Counts of an image's unusual pixels, which bloom gives out as a unit of bytes with each image (Network::add_report).
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::filters::bloom {

struct PixelReport {
  uint32_t not_finite = 0;  // pixels with a value that is infinite or no number
  uint32_t negative = 0;    // pixels with a value below 0
};
inline constexpr std::string_view kPixelReports = "pixel reports";

}  // namespace weft::filters::bloom
