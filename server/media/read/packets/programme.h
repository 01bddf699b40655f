// SPDX-License-Identifier: Apache-2.0
// Chooses among the programs of a transport stream, and assigns streams to programs. A file without
// programs is treated as one program.
#pragma once

#include <string>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Returns the video stream of the program with this number. 0 selects the program with the largest
// picture, the first of equal ones. A cover picture is never returned. INVALID_ARGUMENT, with the
// programs, if the program does not exist or has no video, or if the file has no video. `name`
// names the file in messages.
StatusOr<int> choose_video(const AVFormatContext& context, int programme, std::string_view name);

// Returns the programme of a stream that does not belong to the video's programme, "2 (News,
// 720x576)". Returns an empty string for other streams.
std::string other_programme_of(const AVFormatContext& context, int stream, int video);

// Returns the time that players show as 0 for the video's programme, in microseconds. Other
// programmes have their own clocks.
int64_t start_of_programme(const AVFormatContext& context, int video);

}  // namespace weft::media
