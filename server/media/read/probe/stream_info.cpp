// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/stream_info.h"

#include <optional>

#include "server/media/pixel_format.h"
#include "server/media/read/packets/programme.h"

namespace weft::media {

namespace {

StreamKind kind_of(AVMediaType type) {
  switch (type) {
    case AVMEDIA_TYPE_VIDEO:
      return StreamKind::kVideo;
    case AVMEDIA_TYPE_AUDIO:
      return StreamKind::kAudio;
    case AVMEDIA_TYPE_SUBTITLE:
      return StreamKind::kSubtitle;
    case AVMEDIA_TYPE_ATTACHMENT:
      return StreamKind::kAttachment;
    default:
      return StreamKind::kData;
  }
}

bool is_timecode(const AVStream& stream, const AVStream& video) {
  return stream.codecpar->codec_tag == MKTAG('t', 'm', 'c', 'd') &&
         av_dict_get(video.metadata, "timecode", nullptr, 0) != nullptr;
}

bool has_no_format(const AVCodecParameters& parameters) {
  return parameters.codec_type == AVMEDIA_TYPE_AUDIO &&
         (parameters.sample_rate <= 0 || parameters.ch_layout.nb_channels <= 0);
}

}  // namespace

std::vector<std::string> keys_of(const AVDictionary* tags) {
  std::vector<std::string> keys;
  for (const AVDictionaryEntry* tag = nullptr;
       (tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr;)
    keys.emplace_back(tag->key);
  return keys;
}

std::string title_of(const AVDictionary* tags) {
  const AVDictionaryEntry* const title = av_dict_get(tags, "title", nullptr, 0);
  if (title != nullptr) return title->value;
  const AVDictionaryEntry* const handler = av_dict_get(tags, "handler_name", nullptr, 0);
  const std::string name = handler != nullptr ? handler->value : "";
  const bool is_usual = name.find("Handler") != std::string::npos || name.find("Media") != std::string::npos;
  return is_usual ? "" : name;
}

StreamInfo info_of_stream(const Demuxer& demuxer, const AVStream& stream) {
  const AVStream& video = demuxer.video();
  const AVDictionaryEntry* language = av_dict_get(stream.metadata, "language", nullptr, 0);
  const bool timecode = is_timecode(stream, video);
  return {.stream = stream.index,
          .kind = kind_of(stream.codecpar->codec_type),
          .codec = timecode ? "tmcd" : avcodec_get_name(stream.codecpar->codec_id),
          .language = language != nullptr ? language->value : "",
          .title = title_of(stream.metadata),
          .flags = stream.disposition & ~(AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS),
          .tags = keys_of(stream.metadata),
          .picture = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0,
          .other_programme = other_programme_of(demuxer.context(), stream.index, video.index),
          .no_format = has_no_format(*stream.codecpar),
          .timecode = timecode};
}

std::vector<StreamInfo> other_streams(const Demuxer& demuxer) {
  const AVFormatContext& context = demuxer.context();
  std::vector<StreamInfo> others;
  for (unsigned i = 0; i < context.nb_streams; i++) {
    const AVStream& stream = *context.streams[i];
    if (stream.index != demuxer.video().index) others.push_back(info_of_stream(demuxer, stream));
  }
  return others;
}

Ratio aspect_of(const Demuxer& demuxer, AVFrame& frame) {
  auto& context = const_cast<AVFormatContext&>(demuxer.context());
  return from_av(av_guess_sample_aspect_ratio(&context, context.streams[demuxer.video().index], &frame));
}

StatusOr<VideoFormat> check_picture(AVPixelFormat stored, int width, int height) {
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide)
    return invalid_argument(
        "The picture's size ({}x{}) is not between 1x1 and {}x{} pixels; scale the video first.", width,
        height, kMaxPictureSide, kMaxPictureSide);
  const std::optional<VideoFormat> format = format_of(stored, width, height);
  if (format) return *format;
  const char* const name = av_get_pix_fmt_name(stored);
  return invalid_argument(
      "The pixel format ({}) is not supported; convert the video to gray, or to luma and chroma of 8 to 16 "
      "bits, such as with ffmpeg -pix_fmt yuv444p.",
      name != nullptr ? name : "unknown");
}

}  // namespace weft::media
