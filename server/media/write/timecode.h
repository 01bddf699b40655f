// SPDX-License-Identifier: Apache-2.0
// Converts timecodes (SMPTE ST 12-1): hours, minutes, seconds and the number of a frame in its
// second. If the frame rate changes, the time stays the same and the frame number is converted:
// 10:00:00:20 at 25 frames per second is 10:00:00:40 at 50.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/media/media_info.h"
#include "server/media/write/output_types.h"

namespace weft::media {

struct MovedTimecode {
  std::string text{};
  bool exact = true;  // false: the timecode is that of the nearest frame
};

// Returns the timecode of source frame `frame`, counted at the output's rate, given the timecode
// `text` of the first frame. Uses drop frame if the rate has it. Returns nullopt if `text` is no
// timecode, or if a rate is neither an integer number of frames per second nor one times 1000/1001.
std::optional<MovedTimecode> timecode_at(const std::string& text, Ratio source_rate, int64_t frame,
                                         Ratio output_rate);

// Returns a sentence if the source's timecode is lost or moved by a fraction of a frame; else an
// empty string.
std::string timecode_note(std::string_view name, std::string_view encoder, const MediaInfo& info,
                          const OutputVideo& video);

}  // namespace weft::media
