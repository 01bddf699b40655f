// SPDX-License-Identifier: Apache-2.0
// Parses positions in a video: a time in FFmpeg's syntax ("90", "1:30", "01:02:03.25") or a frame
// number ("2500f").
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/status.h"

namespace weft::options {

// A frame number in the source, from 0.
struct FrameNumber {
  int64_t number = 0;
  auto operator<=>(const FrameNumber&) const = default;
};

using MediaPosition = std::variant<std::chrono::nanoseconds, FrameNumber>;

// Parses seconds, [HH:]MM:SS with up to 9 decimals, or a frame number with the suffix `f`.
// INVALID_ARGUMENT: the text has neither form.
StatusOr<MediaPosition> parse_position(std::string_view text);

// Returns OK if `from` is before `to`. An empty `from` is the beginning. A time and a frame number
// cannot be compared without the video, so this pair also gives OK.
Status check_order(std::string_view from, std::string_view to);

}  // namespace weft::options
