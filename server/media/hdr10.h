// SPDX-License-Identifier: Apache-2.0
// Converts static HDR metadata (SMPTE ST 2086, CTA-861.3): reads it from frames and streams, writes
// it to streams and to encoders' options. Dynamic metadata (SMPTE ST 2094) is only detected.
#pragma once

#include <string>
#include <string_view>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Returns the frame's metadata, or else the stream's. Invalid values count as unknown:
// chromaticities outside 0 to 1, display luminance above 10,000 cd/m2, MaxCLL or MaxFALL above
// 65,535 cd/m2, a black that is not darker than white.
Hdr10 hdr10_of(const AVFrame& frame, const AVStream& stream);

// Returns the name of the frame's dynamic HDR metadata ("HDR10+", "Dolby Vision" or "HDR Vivid"),
// or an empty view. Encoders do not receive dynamic metadata.
std::string_view dynamic_hdr_of(const AVFrame& frame);

// Adds the metadata to the container's stream. Returns false without memory.
bool add_hdr10(AVStream& stream, const Hdr10& hdr10);

// Keys of the options of an encoder's library that set the metadata. `display` is empty if the
// library has no such options.
struct Hdr10Words {
  std::string_view display;
  std::string_view light;
  // values are decimal; else in units of H.265: 1/50000, and 1/10000 cd/m2
  bool is_decimal = false;
};

// Returns the options for the encoder's library, such as
// "master-display=G(13250,34500)...:max-cll=1000,400". Returns an empty string if the library has
// no such options or the metadata has no value for them.
std::string hdr10_options(const Hdr10Words& words, const Hdr10& hdr10);

}  // namespace weft::media
