// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/timecode_file.h"

#include <iterator>

#include <fmt/format.h>

#include "server/media/ffmpeg.h"

namespace weft::media {

std::string timecode_text(std::span<const int64_t> times, Ratio unit, TimecodeForm precision) {
  constexpr int64_t kMilliseconds = 1000, kParts = 1'000'000;  // of a second, and of a millisecond
  const bool has_decimals = precision == TimecodeForm::kDecimals;
  const int64_t scale = int64_t{unit.num} * kMilliseconds * (has_decimals ? kParts : 1);
  std::string text = "# timecode format v2\n";
  const auto end = std::back_inserter(text);
  for (const int64_t time : times) {
    const int64_t rounded = av_rescale(time - times.front(), scale, unit.den);  // in 128 bits
    if (has_decimals)
      fmt::format_to(end, "{}.{:06}\n", rounded / kParts, rounded % kParts);
    else
      fmt::format_to(end, "{}\n", rounded);
  }
  return text;
}

}  // namespace weft::media
