// SPDX-License-Identifier: Apache-2.0
// Converts FFmpeg's description of a frame in GPU memory to a Surface.
#pragma once

#include <optional>

#include "server/media/ffmpeg.h"
#include "server/media/read/pictures/frame_fetch.h"

namespace weft::media {

// Returns the surface of `frame`, which holds addresses of samples of the format `stored`. Returns
// nullopt if a Surface cannot describe their layout.
std::optional<Surface> surface_of(const AVFrame& frame, AVPixelFormat stored);

}  // namespace weft::media
