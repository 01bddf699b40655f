// SPDX-License-Identifier: Apache-2.0
// Writes headers of YUV4MPEG2: a line of text for the file, then a word before the samples of each
// frame.
#pragma once

#include <string>

#include "server/media/write/segment_file.h"

namespace weft::media {

// Returns true if YUV4MPEG2 has a name for the format. Gray of 11, 13, 14 or 15 bits, for example,
// has none.
bool has_y4m_name(const VideoFormat& format);

// Returns the file's header with its newline. The extensions XYSCSS and XCOLORRANGE and the names
// of formats are those that FFmpeg writes and reads. INVALID_ARGUMENT for formats without a name.
StatusOr<std::string> y4m_header(const SegmentHeader& header);
inline constexpr std::string_view kY4mFrame = "FRAME\n";

}  // namespace weft::media
