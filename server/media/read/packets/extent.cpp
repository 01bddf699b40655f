// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/extent.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace weft::media {

namespace {

// Tolerances of a missing end, because the duration of the last packets may be unknown.
constexpr double kToleratedFrames = 2.5, kToleratedSeconds = 0.1;

double seconds(int64_t microseconds) { return double(microseconds) / AV_TIME_BASE; }

// Returns the duration of a stream by Matroska's tag DURATION (00:01:02.500000000), in
// microseconds.
std::optional<int64_t> duration_tag(const AVStream& stream) {
  const AVDictionaryEntry* tag = nullptr;
  while ((tag = av_dict_get(stream.metadata, "DURATION", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
    int hours = 0, minutes = 0;
    double rest = 0;
    if (std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &rest) != 3) continue;
    const double seconds = hours * 3600.0 + minutes * 60.0 + rest;
    if (std::abs(seconds) <= double(kLatestTime.count())) return int64_t(seconds * AV_TIME_BASE);
  }
  return std::nullopt;
}

}  // namespace

void Extent::take(const AVPacket& packet, const AVStream& stream) {
  const bool is_video = packet.stream_index == video_;
  if (is_video) end_of_bytes_ = std::max(end_of_bytes_, packet.pos + packet.size);
  const int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const bool is_picture = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
  if (time == AV_NOPTS_VALUE || is_picture) return;
  const int64_t end =
      av_rescale_q(time + std::max<int64_t>(packet.duration, 0), stream.time_base, kMicroseconds);
  if (is_video) end_of_video_ = std::max(end_of_video_.value_or(end), end);
  end_of_all_ = std::max(end_of_all_.value_or(end), end);
}

// Returns the end for containers that declare each stream's duration.
std::optional<int64_t> Extent::announced_end_of_video(const AVFormatContext& context) const {
  const AVStream& video = *context.streams[video_];
  const std::string_view format = context.iformat->name;
  if (format.starts_with("matroska")) return duration_tag(video);
  const bool has_table = format.starts_with("mov") || format == "avi";
  if (!has_table || video.duration <= 0) return std::nullopt;
  const int64_t start = video.start_time != AV_NOPTS_VALUE ? video.start_time : 0;
  return av_rescale_q(start + video.duration, video.time_base, kMicroseconds);
}

std::optional<int64_t> Extent::announced_end_of_all(const AVFormatContext& context) const {
  const bool is_announced = context.duration_estimation_method == AVFMT_DURATION_FROM_STREAM &&
                            context.duration > 0 && (context.iformat->flags & AVFMT_TS_DISCONT) == 0;
  if (!is_announced) return std::nullopt;
  // Matroska's duration counts from 0, not from the first time.
  const bool from_zero = std::string_view(context.iformat->name).starts_with("matroska");
  const int64_t start = from_zero || context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time;
  return start + context.duration;
}

std::string Extent::shortage(const AVFormatContext& context, int64_t bytes) const {
  const AVStream& video = *context.streams[video_];
  const double rate = av_q2d(video.avg_frame_rate);
  const double frame = rate > 0 ? 1 / rate : 0;
  const double tolerated = kToleratedFrames * frame + (frame > 0 ? 0 : kToleratedSeconds);
  const auto is_short = [&](std::optional<int64_t> announced, std::optional<int64_t> reached, double more) {
    return announced && reached && seconds(*announced - *reached) > tolerated + more;
  };
  const auto describe = [&](int64_t announced, int64_t reached, std::string_view what) {
    const std::string frames =
        rate > 0 ? fmt::format(" (about {:.0f} frames less)", seconds(announced - reached) * rate) : "";
    return fmt::format(
        "The input is short: its container announces {} up to {:.3f} s, and it ends at {:.3f} s{}", what,
        seconds(announced), seconds(reached), frames);
  };
  if (const auto announced = announced_end_of_video(context); is_short(announced, end_of_video_, 0))
    return describe(*announced, *end_of_video_, "video");
  if (const auto announced = announced_end_of_all(context);
      is_short(announced, end_of_all_, kToleratedSeconds))
    return describe(*announced, *end_of_all_, "streams");
  const bool is_y4m = std::string_view(context.iformat->name) == "yuv4mpegpipe";
  if (const int64_t rest = bytes - end_of_bytes_; is_y4m && end_of_bytes_ > 0 && rest > 0)
    return fmt::format("The input is short: its last frame is not whole ({} bytes of it are there)", rest);
  return "";
}

}  // namespace weft::media
