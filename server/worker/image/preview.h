// SPDX-License-Identifier: Apache-2.0
// Creates small pictures of images for display.
#pragma once

#include <string>

#include "base/status.h"
#include "server/media/image/image.h"

namespace weft::worker {

inline constexpr int kPreviewSide = 1024;  // pixels of the longer side

// Returns a PNG of the image. The light is multiplied by 2^`stops` first.
StatusOr<std::string> preview_of(const media::Image& image, double stops);

// Joins two PNGs of the same size into one, with the first on the left.
StatusOr<std::string> beside_each_other(const std::string& left, const std::string& right);

}  // namespace weft::worker
