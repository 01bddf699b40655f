// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/timecode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "server/media/write/container.h"
#include "server/media/write/encoder_table.h"

extern "C" {
#include <libavutil/timecode.h>
}

namespace weft::media {

namespace {

// Returns the number of timecode frames in a second at this rate, or 0 if no timecode is defined
// for the rate.
int frames_of_second(Ratio rate) {
  constexpr int kMost = 255;  // limit of a MOV timecode track
  constexpr double kTolerance = 0.002;
  if (!rate.known()) return 0;
  const double frames = std::round(rate.value());
  const bool is_near = std::abs(rate.value() - frames) <= kTolerance * frames;
  return is_near && frames >= 1 && frames <= kMost ? int(frames) : 0;
}

// Frames per second of the lowest rate with drop frame; the other rates are multiples.
constexpr int kDropFrames = 30;

std::string containers_with_timecode() {
  std::string names;
  for (const ContainerEntry& entry : container_table())
    if (entry.timecode != Timecode::kNone)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

}  // namespace

std::optional<MovedTimecode> timecode_at(const std::string& text, Ratio source_rate, int64_t frame,
                                         Ratio output_rate) {
  const int from = frames_of_second(source_rate), to = frames_of_second(output_rate);
  AVTimecode timecode;
  const LogScope log;
  if (from == 0 || to == 0 ||
      av_timecode_init_from_string(&timecode, to_av(source_rate), text.c_str(), nullptr) < 0)
    return std::nullopt;
  std::array<char, AV_TIMECODE_STR_SIZE> label{};
  av_timecode_make_string(&timecode, label.data(), int(frame));
  int hours = 0, minutes = 0, seconds = 0, number = 0;
  char separator = ':';
  if (std::sscanf(label.data(), "%d:%d:%d%c%d", &hours, &minutes, &seconds, &separator, &number) != 5)
    return std::nullopt;
  const bool drops = (timecode.flags & AV_TIMECODE_FLAG_DROPFRAME) != 0 && to % kDropFrames == 0;
  const double exact = double(number) * to / from;
  const int moved = std::min(int(std::lround(exact)), to - 1);
  return MovedTimecode{
      fmt::format("{:02}:{:02}:{:02}{}{:02}", hours, minutes, seconds, drops ? ';' : ':', moved),
      moved == exact};
}

std::string timecode_note(std::string_view name, std::string_view encoder, const MediaInfo& info,
                          const OutputVideo& video) {
  const auto entry = find_encoder(encoder);
  const auto container = find_container(name);
  const bool is_written = entry.ok() && container.ok() && (*entry)->codec != AV_CODEC_ID_NONE;
  if (!is_written || info.timecode.empty()) return "";
  if ((*container)->timecode == Timecode::kNone)
    return fmt::format("The timecode ({}) is left out: {} holds none, {} would.", info.timecode,
                       (*container)->name, containers_with_timecode());
  const auto moved = timecode_at(info.timecode, info.video.frame_rate, 0, video.frame_rate);
  if (!moved)
    return fmt::format("The timecode ({}) is left out: there is none for {:.5g} pictures a second.",
                       info.timecode, video.frame_rate.value());
  if (moved->exact) return "";
  return fmt::format(
      "The timecode ({}) lies between two pictures of {:.5g} a second; it becomes that of the nearest ({}).",
      info.timecode, video.frame_rate.value(), moved->text);
}

}  // namespace weft::media
