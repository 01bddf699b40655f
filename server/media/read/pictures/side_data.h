// SPDX-License-Identifier: Apache-2.0
// Facts of the pictures apart from their samples: how they are to be turned, that they are two views or a sphere ...
#pragma once

#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Of the stream, and of its first frame where the stream does not say the same. Left out is what describes the stream as it was
// encoded, what decoding uses up, and what is carried by a way of its own: static HDR metadata, closed captions.
std::vector<SideData> side_data_of(const AVStream& stream, const AVFrame& frame);

}  // namespace weft::media
