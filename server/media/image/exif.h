// SPDX-License-Identifier: Apache-2.0
// The one value of EXIF data that says how a picture is to be shown. EXIF data is a TIFF file without samples (CIPA DC-008, 4.6);
// everything else in it is carried as it is. Not for other folders.
#pragma once

#include <string>
#include <string_view>

namespace weft::media {

// 1 to 8, as in TIFF's tag 274; 1 where it does not say or makes no sense.
int exif_orientation(std::string_view exif);
// The same data with another orientation, where it has one.
std::string with_orientation(std::string exif, int orientation);

}  // namespace weft::media
