// SPDX-License-Identifier: Apache-2.0
// Reads and changes the orientation in EXIF data, which is a TIFF file without samples (CIPA
// DC-008, 4.6). All other EXIF values are kept unchanged. Other folders must not include this file.
#pragma once

#include <string>
#include <string_view>

namespace weft::media {

// Returns the orientation, 1 to 8 as in TIFF's tag 274, or 1 if it is absent or invalid.
int exif_orientation(std::string_view exif);
// Returns the data with another orientation. Data without an orientation is returned unchanged.
std::string with_orientation(std::string exif, int orientation);

}  // namespace weft::media
