// SPDX-License-Identifier: Apache-2.0
// An image's codes of 8 bits, for who takes an image file for a texture.
#pragma once

#include <string>

#include "server/media/image/image.h"

namespace weft::media {

// Red, green, blue and alpha of each pixel of the data window, rows without gaps: the codes of a file of 8 bits as they are in it, of others the nearest
// ones. Alpha is apart from colour, which is 0 where alpha is.
std::string codes_of(const Image& image);

}  // namespace weft::media
