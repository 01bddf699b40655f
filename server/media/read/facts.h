// SPDX-License-Identifier: Apache-2.0
// How an open file is examined: the parts of probe() that others share.
#pragma once

#include <vector>

#include "server/media/read/demuxer.h"
#include "server/media/read/probe.h"

namespace weft::media {

// Decodes the first frames; the demuxer is used up. Errors as probe()'s.
StatusOr<MediaFacts> gather_facts(Demuxer& demuxer);

// All streams but the video.
std::vector<StreamFacts> other_streams(const Demuxer& demuxer);

// Of the frame's pixels: the container's, else the frame's.
Ratio aspect_of(const Demuxer& demuxer, AVFrame& frame);

// INVALID_ARGUMENT unless the pictures can be worked on.
StatusOr<VideoFormat> check_picture(AVPixelFormat stored, int width, int height);

}  // namespace weft::media
