// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/programme.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace weft::media {

namespace {

std::span<AVProgram* const> programmes_of(const AVFormatContext& context) {
  return {context.programs, context.nb_programs};
}

bool is_in(const AVProgram& programme, int stream) {
  return std::count(programme.stream_index, programme.stream_index + programme.nb_stream_indexes,
                    unsigned(stream)) > 0;
}

bool is_video(const AVStream& stream) {
  return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
         (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
}

int64_t pixels(const AVStream& stream) { return int64_t{stream.codecpar->width} * stream.codecpar->height; }

// Returns the video stream with the largest picture in the program, or -1.
int largest_video(const AVFormatContext& context, const AVProgram& programme) {
  int best = -1;
  for (unsigned i = 0; i < context.nb_streams; i++) {
    const AVStream& stream = *context.streams[i];
    if (is_video(stream) && is_in(programme, int(i)) &&
        (best < 0 || pixels(stream) > pixels(*context.streams[best])))
      best = int(i);
  }
  return best;
}

// Returns the video stream of the program with the largest picture, or -1 if fewer than two
// programs have video.
int video_of_largest_programme(const AVFormatContext& context) {
  int best = -1, with_video = 0;
  for (const AVProgram* programme : programmes_of(context)) {
    const int video = largest_video(context, *programme);
    if (video < 0) continue;
    with_video++;
    if (best < 0 || pixels(*context.streams[video]) > pixels(*context.streams[best])) best = video;
  }
  return with_video > 1 ? best : -1;
}

// Returns the program's description for messages: "2 (News, 720x576)".
std::string programme_text(const AVFormatContext& context, const AVProgram& programme) {
  const AVDictionaryEntry* name = av_dict_get(programme.metadata, "service_name", nullptr, 0);
  const int video = largest_video(context, programme);
  const std::string size = video < 0 ? "no video"
                                     : fmt::format("{}x{}", context.streams[video]->codecpar->width,
                                                   context.streams[video]->codecpar->height);
  return fmt::format("{} ({}{}{})", programme.program_num, name != nullptr ? name->value : "",
                     name != nullptr ? ", " : "", size);
}

Status no_programme(const AVFormatContext& context, int number, std::string_view name) {
  std::string list;
  for (const AVProgram* programme : programmes_of(context))
    list += fmt::format("{}{}", list.empty() ? "" : ", ", programme_text(context, *programme));
  if (list.empty())
    return invalid_argument("The input ({}) has no programmes; leave --programme ({}) out.", name, number);
  return invalid_argument(
      "The input ({}) has no programme {} with video; its programmes are {}: give --programme one of them.",
      name, number, list);
}

}  // namespace

StatusOr<int> choose_video(const AVFormatContext& context, int number, std::string_view name) {
  if (number > 0) {
    for (const AVProgram* programme : programmes_of(context)) {
      const int video = programme->program_num == number ? largest_video(context, *programme) : -1;
      if (video >= 0) return video;
    }
    return no_programme(context, number, name);
  }
  int best = video_of_largest_programme(context);
  if (best < 0)
    best =
        av_find_best_stream(const_cast<AVFormatContext*>(&context), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best >= 0 && !is_video(*context.streams[best])) best = -1;
  for (unsigned i = 0; best < 0 && i < context.nb_streams; i++)
    if (is_video(*context.streams[i])) best = int(i);
  if (best >= 0) return best;
  return invalid_argument("The input ({}, {}) has no video stream (streams: {}); give a video file.", name,
                          context.iformat->name, context.nb_streams);
}

std::string other_programme_of(const AVFormatContext& context, int stream, int video) {
  const AVProgram* other = nullptr;
  for (const AVProgram* programme : programmes_of(context)) {
    if (!is_in(*programme, stream)) continue;
    if (is_in(*programme, video)) return "";
    if (other == nullptr) other = programme;
  }
  return other != nullptr ? programme_text(context, *other) : "";
}

namespace {

// Returns the time of the first sample that is played. In Matroska, audio begins earlier by the
// decoder's padding, which is not played (ISO/IEC 14496-12: priming).
int64_t audible_begin(const AVFormatContext& context, const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const int64_t begin = av_rescale_q(stream.start_time, stream.time_base, kMicroseconds);
  const bool is_matroska = std::string_view(context.iformat->name).starts_with("matroska");
  if (!is_matroska || parameters.initial_padding <= 0 || parameters.sample_rate <= 0) return begin;
  return begin + av_rescale_q(parameters.initial_padding, {1, parameters.sample_rate}, kMicroseconds);
}

}  // namespace

int64_t start_of_programme(const AVFormatContext& context, int video) {
  int64_t start = AV_NOPTS_VALUE, first_packet = AV_NOPTS_VALUE;
  bool has_others = false;
  for (unsigned i = 0; i < context.nb_streams; i++) {
    const AVStream& stream = *context.streams[i];
    const bool is_other = !other_programme_of(context, int(i), video).empty();
    has_others = has_others || is_other;
    const AVMediaType type = stream.codecpar->codec_type;
    const bool is_played = type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO;
    if (is_other || !is_played || stream.start_time == AV_NOPTS_VALUE) continue;
    const int64_t begin = av_rescale_q(stream.start_time, stream.time_base, kMicroseconds);
    const int64_t heard = audible_begin(context, stream);
    start = start == AV_NOPTS_VALUE ? heard : std::min(start, heard);
    first_packet = first_packet == AV_NOPTS_VALUE ? begin : std::min(first_packet, begin);
  }
  // FFmpeg's start time also includes subtitles.
  if (!has_others && context.start_time != first_packet) start = context.start_time;
  return start != AV_NOPTS_VALUE ? start : 0;
}

}  // namespace weft::media
