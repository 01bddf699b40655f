// SPDX-License-Identifier: Apache-2.0
// An image's codes of 8 bits, for who takes an image file for a texture.
#pragma once

#include <string>

#include "server/media/file.h"
#include "server/media/image/image.h"

namespace weft::media {

// Red, green, blue and alpha of each pixel, rows without gaps. Alpha is apart from colour, which it does not touch.
struct ImageCodes {
  ImageFacts facts{};
  std::string rgba{};
};

// Whether an image has codes, of 8 bits or more: a file of floats has none. INVALID_ARGUMENT with what to do.
Status check_has_codes(const ImageFacts& facts, std::string_view name);

// PNG, JPEG and TIFF: the codes of a file of 8 bits as they are in it, of others the nearest ones. The picture is as it is stored, not turned. Errors
// are read_image's, and the one above.
StatusOr<ImageCodes> read_image_codes(const InputFile& file);

}  // namespace weft::media
