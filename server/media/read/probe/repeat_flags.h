// SPDX-License-Identifier: Apache-2.0
// Samples a file's packets for pictures that repeat a field (soft telecine), without decoding.
#pragma once

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Returns true if a picture at one of kSampledPlaces places of the file, spread evenly, has a flag
// for a repeated field or frame (MPEG-2: repeat_first_field; H.264: pic_struct 5 to 8). A clip that
// is flagged nowhere else is missed. Returns false for formats that cannot seek. The demuxer cannot
// be read on afterwards.
inline constexpr int kSampledPlaces = 8;
inline constexpr int kSampledPictures = 24;  // pictures per place
bool repeats_fields(Demuxer& demuxer);

}  // namespace weft::media
