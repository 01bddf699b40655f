// SPDX-License-Identifier: Apache-2.0
// Converts a decoded picture to red, green and blue for previews.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "server/media/frame_hash.h"
#include "server/media/media_info.h"

namespace weft::media {

// Converts to `rgb`: three samples per pixel, in rows from the top without gaps, width * height * 3
// in total. Matrix, range and chroma siting are those of `colour` (ITU-T H.273, 8.3). If
// unspecified, they are BT.709 from 720 lines up, else BT.601; limited range; chroma on the left.
// The transfer function is not changed. Chroma is interpolated linearly, and within each field of
// an interlaced picture. INVALID_ARGUMENT for a matrix that is not linear in R'G'B'.
Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint8_t> rgb);
// Converts to samples of 16 bits; white is 65535 instead of 255.
Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint16_t> rgb);

}  // namespace weft::media
