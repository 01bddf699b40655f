// SPDX-License-Identifier: Apache-2.0
// Small pictures of images, for people to look at.
#pragma once

#include <string>

#include "base/status.h"
#include "server/media/image/image.h"

namespace weft::worker {

inline constexpr int kPreviewSide = 1024;  // pixels, the longer one

// A PNG of the image. `stops`: light is multiplied with 2^stops before.
StatusOr<std::string> preview_of(const media::Image& image, double stops);

// Two PNGs of one size as one, the first on the left.
StatusOr<std::string> beside_each_other(const std::string& left, const std::string& right);

}  // namespace weft::worker
