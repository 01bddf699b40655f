// SPDX-License-Identifier: Apache-2.0
// Converts the tags of a TIFF to metadata and back. Only image_tiff*.cpp includes this file.
#pragma once

#include "server/media/image/image_metadata.h"
#include "server/media/image/tiff_library.h"

namespace weft::media {

// Reads the tags of libtiff's current picture. Adds notes about data that outputs will not hold.
void read_tags(TIFF* tiff, ImageInfo& info, ImageMetadata& metadata);

// Writes the tags. Returns false if libtiff refuses one; the reason is in the messages of the
// TiffFile.
bool write_tags(TIFF* tiff, const ImageInfo& info, const ImageEncoding& encoding);

}  // namespace weft::media
