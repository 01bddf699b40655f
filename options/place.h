// SPDX-License-Identifier: Apache-2.0
// Places in a video as text: a time as FFmpeg writes it ("90", "1:30", "01:02:03.25") or a frame ("2500f").
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/status.h"

namespace weft::options {

// A frame of the source, from 0 on.
struct FrameNumber {
  int64_t number = 0;
  auto operator<=>(const FrameNumber&) const = default;
};

using Place = std::variant<std::chrono::nanoseconds, FrameNumber>;

// Seconds, or [HH:]MM:SS, with up to 9 decimals; or a number of a frame with an `f` behind it. INVALID_ARGUMENT: neither.
StatusOr<Place> parse_place(std::string_view text);

// OK where `from` (empty: the beginning) comes before `to`, and where one is a time and the other a frame: then only the video tells.
Status check_order(std::string_view from, std::string_view to);

}  // namespace weft::options
