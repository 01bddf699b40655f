// SPDX-License-Identifier: Apache-2.0
// A decoded picture as red, green and blue, for looking at.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "server/media/frame_hash.h"
#include "server/media/media_facts.h"

namespace weft::media {

// `rgb`: three samples a pixel, rows from the top, without gaps; width * height * 3 of them. Matrix, range and chroma's places are those of
// `colour` (ITU-T H.273, 8.3); unspecified: BT.709 from 720 lines up, else BT.601; limited range; chroma to the left. Light
// keeps the file's transfer. Chroma is interpolated linearly, of an interlaced picture within each field. INVALID_ARGUMENT: a matrix that
// is not linear in R'G'B'.
Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint8_t> rgb);
// The same of 16 bits: 65535 for 255.
Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint16_t> rgb);

}  // namespace weft::media
