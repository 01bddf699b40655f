// SPDX-License-Identifier: Apache-2.0
// Counts an image's unusual pixels. Bloom outputs the counts as a unit of bytes with each image
// (Network::add_report).
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::filters::bloom {

struct PixelReport {
  uint32_t not_finite = 0;  // pixels with a value that is infinite or not a number
  uint32_t negative = 0;    // pixels with a value below 0
};
inline constexpr std::string_view kPixelReports = "pixel reports";

}  // namespace weft::filters::bloom
