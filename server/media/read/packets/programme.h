// SPDX-License-Identifier: Apache-2.0
// The programmes of a transport stream: which of them is worked on, and what belongs to it. A file without programmes is as one of a
// single programme.
#pragma once

#include <string>

#include "server/media/ffmpeg.h"

namespace weft::media {

// The video to work on: of the programme with this number; 0: of the one with the largest picture, of equal ones the first. No cover
// picture. INVALID_ARGUMENT naming the programmes there are when this one is not among them or has no video; when the file has no
// video. `name`: of the file, for messages.
StatusOr<int> choose_video(const AVFormatContext& context, int programme, std::string_view name);

// The programme of a stream that does not belong to the video's: "2 (News, 720x576)"; "" for all others.
std::string other_programme_of(const AVFormatContext& context, int stream, int video);

// The time that players show as 0 when they play the video's programme, in microseconds: other programmes have clocks of their own.
int64_t start_of_programme(const AVFormatContext& context, int video);

}  // namespace weft::media
