// SPDX-License-Identifier: Apache-2.0
// Facts of single streams, pictures and tags: the parts of probe() that others share.
#pragma once

#include <string>
#include <vector>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Returns the facts of a stream of the file.
StreamFacts facts_of_stream(const Demuxer& demuxer, const AVStream& stream);
// All streams but the video.
std::vector<StreamFacts> other_streams(const Demuxer& demuxer);

// The title of a stream: its tag, else the name of its handler in MOV and MP4 where somebody gave it one.
std::string title_of(const AVDictionary* tags);
std::vector<std::string> keys_of(const AVDictionary* tags);

// Of the frame's pixels: the container's, else the frame's.
Ratio aspect_of(const Demuxer& demuxer, AVFrame& frame);

// INVALID_ARGUMENT unless the pictures can be worked on.
StatusOr<VideoFormat> check_picture(AVPixelFormat stored, int width, int height);

}  // namespace weft::media
