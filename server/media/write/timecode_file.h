// SPDX-License-Identifier: Apache-2.0
// Writes the times of pictures as a text of the form "timecode format v2", which mkvmerge, x264 and
// other programs read: the line "# timecode format v2", and then a line for each picture with the
// time of its begin in milliseconds. The end of the last picture is not part of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "server/media/media_info.h"

namespace weft::media {

enum class TimecodeForm {
  kDecimals,      // six decimals of a millisecond
  kMilliseconds,  // whole milliseconds, as old programs expect them
};

// Returns the text of the times, which are in `unit` seconds. They count from the first one. Each
// is rounded to the nearest value by itself, so that errors do not add up. Times increase.
std::string timecode_text(std::span<const int64_t> times, Ratio unit, TimecodeForm precision);

}  // namespace weft::media
