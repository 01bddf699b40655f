// SPDX-License-Identifier: Apache-2.0
// Describes single streams, pictures and tags. probe() and other code share these functions.
#pragma once

#include <string>
#include <vector>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Returns the properties of a stream of the file.
StreamInfo info_of_stream(const Demuxer& demuxer, const AVStream& stream);
// Returns the properties of all streams but the video.
std::vector<StreamInfo> other_streams(const Demuxer& demuxer);

// Returns the title of a stream: its tag, else its handler's name in MOV and MP4, unless that is a
// default name.
std::string title_of(const AVDictionary* tags);
std::vector<std::string> keys_of(const AVDictionary* tags);

// Returns the pixel aspect ratio: the container's, else the frame's.
Ratio aspect_of(const Demuxer& demuxer, AVFrame& frame);

// Returns the format of the frames, or INVALID_ARGUMENT if frames of this pixel format or size are
// not supported.
StatusOr<VideoFormat> check_picture(AVPixelFormat stored, int width, int height);

}  // namespace weft::media
