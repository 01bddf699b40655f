// SPDX-License-Identifier: Apache-2.0
// Frames in a GPU's memory as FFmpeg describes them, and as we do.
#pragma once

#include <optional>

#include "server/media/ffmpeg.h"
#include "server/media/read/pictures/frame_fetch.h"

namespace weft::media {

// `frame` holds addresses of samples that are stored so. Nullopt where a Surface cannot say how they lie.
std::optional<Surface> surface_of(const AVFrame& frame, AVPixelFormat stored);

}  // namespace weft::media
