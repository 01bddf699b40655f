// SPDX-License-Identifier: Apache-2.0
// Defines the options that several encoders have under one name: crf, bit rate and preset. A table
// holds each encoder's range.
//
//   ASSIGN_OR_RETURN(std::string value, common_value("x264", CommonOption::kPreset, "slow"));
//   settings.options.emplace_back(ffmpeg_key(CommonOption::kPreset), value);
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace weft::media {

enum class CommonOption { kCrf, kBitRate, kPreset };

// Returns FFmpeg's name of the option: "crf", "b", "preset".
std::string_view ffmpeg_key(CommonOption option);

// Returns the value in FFmpeg's notation. `text` is a number (crf), kbit/s (bit rate) or a name
// (preset). INVALID_ARGUMENT with the encoder, its range and the option to use instead.
StatusOr<std::string> common_value(std::string_view encoder, CommonOption option, std::string_view text);

// Returns INVALID_ARGUMENT if one of `options` (FFmpeg's names and values) sets the same property
// as `option`.
Status check_conflict(CommonOption option, std::string_view text,
                      const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace weft::media
