// SPDX-License-Identifier: Apache-2.0
// Reads properties of the frames other than their samples: rotation, arrangement of two views,
// projection of a sphere ...
#pragma once

#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Returns the side data of the stream, and kinds of its first frame that the stream lacks. Excluded
// are properties of the encoded stream, data consumed by decoding, and data carried separately:
// static HDR metadata, closed captions.
std::vector<SideData> side_data_of(const AVStream& stream, const AVFrame& frame);

}  // namespace weft::media
