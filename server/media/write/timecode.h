// SPDX-License-Identifier: Apache-2.0
// Timecodes (SMPTE ST 12-1): hours, minutes, seconds and the number of a frame in its second. Where the rate changes, the instant stays
// and the frame's number follows the rate: 10:00:00:20 of 25 frames a second is 10:00:00:40 of 50.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/media/media_facts.h"
#include "server/media/write/output_types.h"

namespace weft::media {

struct MovedTimecode {
  std::string text{};
  bool exact = true;  // else the nearest frame's
};

// The timecode of a frame of the source whose first frame has `text`, counted at the output's rate. Drop frame where the rate has it.
// Nullopt: no timecode; or a rate that is no whole number of frames a second, but for 1000/1001.
std::optional<MovedTimecode> timecode_at(const std::string& text, Ratio source_rate, int64_t frame,
                                         Ratio output_rate);

// What becomes of the source's timecode, as a sentence, where it is lost or moved by a part of a frame; else "".
std::string timecode_note(std::string_view name, std::string_view encoder, const MediaFacts& facts,
                          const OutputVideo& video);

}  // namespace weft::media
