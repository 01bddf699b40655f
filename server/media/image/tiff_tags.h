// SPDX-License-Identifier: Apache-2.0
// What a TIFF says beside its samples: to metadata, and from them to tags. Only image_tiff*.cpp includes this.
#pragma once

#include "server/media/image/image_metadata.h"
#include "server/media/image/tiff_library.h"

namespace weft::media {

// Of the picture that libtiff is at. What an output will not have is noted.
void read_tags(TIFF* tiff, ImageFacts& facts, ImageMetadata& metadata);

// False where libtiff refuses one, and says why.
bool write_tags(TIFF* tiff, const ImageFacts& facts, const ImageEncoding& encoding);

}  // namespace weft::media
