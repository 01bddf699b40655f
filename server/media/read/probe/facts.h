// SPDX-License-Identifier: Apache-2.0
// How an open file is examined: the parts of probe() that others share.
#pragma once

#include <vector>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/probe/probe.h"

namespace weft::media {

// Decodes the first frames; the demuxer is used up. Errors as probe()'s.
StatusOr<MediaFacts> gather_facts(Demuxer& demuxer);

// All streams but the video.
std::vector<StreamFacts> other_streams(const Demuxer& demuxer);

// The title of a stream: its tag, else the name of its handler in MOV and MP4 where somebody gave it one.
std::string title_of(const AVDictionary* tags);

// Of the frame's pixels: the container's, else the frame's.
Ratio aspect_of(const Demuxer& demuxer, AVFrame& frame);

// INVALID_ARGUMENT unless the pictures can be worked on.
StatusOr<VideoFormat> check_picture(AVPixelFormat stored, int width, int height);

}  // namespace weft::media
