// SPDX-License-Identifier: Apache-2.0
// YUV4MPEG2: a line of text, then for each frame a word and its samples.
#pragma once

#include <string>

#include "server/media/write/segment_file.h"

namespace weft::media {

// Gray of 11, 13, 14 or 15 bits and other formats have none.
bool has_y4m_name(const VideoFormat& format);

// With the newline. The extensions XYSCSS and XCOLORRANGE and the names of formats are those that FFmpeg writes and reads.
// INVALID_ARGUMENT for formats that have no name.
StatusOr<std::string> y4m_header(const SegmentHeader& header);
inline constexpr std::string_view kY4mFrame = "FRAME\n";

}  // namespace weft::media
