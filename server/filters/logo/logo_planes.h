// SPDX-License-Identifier: Apache-2.0
// Fits a logo to the planes of a video.
#pragma once

#include <array>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"
#include "server/filters/logo/logo_file.h"

namespace weft::filters::logo {

// A rectangle of a plane, and its coefficients, row after row.
struct PlacedPlane {
  int x = 0, y = 0, width = 0, height = 0;
  LogoPlane values{};
};

// Returns the coefficients of the video's planes. A chroma sample has the mean effect of the logo
// on the luma samples that it covers. INVALID_ARGUMENT: the logo was made for pictures of another
// size, or is not within the picture.
StatusOr<std::array<PlacedPlane, 3>> place_logo(const Logo& logo, const VideoFormat& format);

}  // namespace weft::filters::logo
