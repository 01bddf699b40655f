// SPDX-License-Identifier: Apache-2.0
// Static HDR metadata (SMPTE ST 2086, CTA-861.3): from a file, to a file, and as encoders' options. What changes from frame to
// frame (SMPTE ST 2094) is recognised, no more.
#pragma once

#include <string>
#include <string_view>

#include "server/media/ffmpeg.h"

namespace weft::media {

// What the frame says, else the stream. Values that are none (chromaticities outside of 0 to 1, light above 10,000 or 65,535
// cd/m2, a black that is no darker than white) count as unknown.
Hdr10 hdr10_of(const AVFrame& frame, const AVStream& stream);

// What of the frame's HDR changes from frame to frame, "HDR10+", "Dolby Vision" or "HDR Vivid", which no encoder is given; "" where nothing does.
std::string_view dynamic_hdr_of(const AVFrame& frame);

// For the container. False: there is no memory.
bool add_hdr10(AVStream& stream, const Hdr10& hdr10);

// The options of an encoder's library that say Hdr10; "" for none.
struct Hdr10Words {
  std::string_view display;
  std::string_view light;
  bool is_decimal = false;  // else in H.265's units: 1/50000, and 1/10000 cd/m2
};

// For the encoder's library, "master-display=G(13250,34500)...:max-cll=1000,400"; "" when it has no such options or nothing is known
// that they could hold.
std::string hdr10_options(const Hdr10Words& words, const Hdr10& hdr10);

}  // namespace weft::media
