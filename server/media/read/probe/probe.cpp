// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/probe.h"

#include <algorithm>
#include <chrono>

#include "server/media/hdr10.h"
#include "server/media/pixel_format.h"
#include "server/media/read/packets/duration.h"
#include "server/media/read/pictures/field_order.h"
#include "server/media/read/pictures/quantisers.h"
#include "server/media/read/pictures/side_data.h"
#include "server/media/read/probe/first_frames.h"
#include "server/media/read/probe/frame_rate.h"
#include "server/media/read/probe/repeat_flags.h"
#include "server/media/read/probe/stream_info.h"
#include "server/media/read/probe/stream_watch.h"

namespace weft::media {

namespace {

constexpr int kExaminedFrames = 8;
constexpr int kDoubtedFrames =
    50;  // examined frames if they are progressive and the container declares interlaced ones

Status doubt_duration(Demuxer& demuxer, AVPacket& packet, MediaInfo& info) {
  ASSIGN_OR_RETURN(const Duration duration, believable_duration(demuxer, packet, info.duration));
  if (duration == info.duration) return ok_status();
  info.duration = duration;
  if (!info.video.frames_exact)
    info.video.frames =
        int64_t(std::chrono::duration<double>(duration).count() * info.video.frame_rate.value());
  return ok_status();
}

Status fill_times(Demuxer& demuxer, FirstFrames& frames, MediaInfo& info) {
  const AVFormatContext& context = demuxer.context();
  const AVStream& stream = demuxer.video();
  VideoInfo& video = info.video;
  video.time_base = from_av(stream.time_base);
  ASSIGN_OR_RETURN(video.frame_rate, believable_rate(demuxer, frames));
  if (context.duration > 0) info.duration = std::chrono::microseconds(context.duration);
  info.start = std::chrono::microseconds(demuxer.start());
  video.frames = stream.nb_frames / (video.woven ? 2 : 1);
  video.frames_exact = stream.nb_frames > 0 && !video.woven;
  if (video.frames > 0 || !video.frame_rate.known()) return ok_status();
  const int64_t length =
      stream.duration > 0 ? av_rescale_q(stream.duration, stream.time_base, kMicroseconds) : context.duration;
  if (length > 0) video.frames = av_rescale_q(length, kMicroseconds, av_inv_q(to_av(video.frame_rate)));
  return ok_status();
}

Status no_frames(const Demuxer& demuxer) {
  return invalid_argument(
      "The video stream ({}) of the input ({}) has no frame that can be decoded; the file is damaged or "
      "incomplete.",
      avcodec_get_name(demuxer.video().codecpar->codec_id), demuxer.file().name());
}

// Decodes the first frames and collects the properties. The demuxer cannot be read on afterwards.
StatusOr<MediaInfo> gather_info(Demuxer& demuxer) {
  const AVStream& stream = demuxer.video();
  const AVCodecParameters& parameters = *stream.codecpar;
  // This check precedes allocations for the frame size.
  if (parameters.width > kMaxPictureSide || parameters.height > kMaxPictureSide)
    return check_picture(AVPixelFormat(parameters.format), parameters.width, parameters.height).status();
  std::vector<StreamInfo> others = other_streams(demuxer);  // before reading finds late streams
  ASSIGN_OR_RETURN(FirstFrames frames, FirstFrames::open(demuxer));
  const PacketPtr packet(av_packet_alloc());
  FramePtr frame(av_frame_alloc());
  const FramePtr next(av_frame_alloc());
  const Status first = frames.next(*frame);
  if (first.code() == StatusCode::kOutOfRange) return no_frames(demuxer);
  RETURN_IF_ERROR(first);

  MediaInfo info;
  info.others = std::move(others);
  info.container = demuxer.context().iformat->name;
  info.bytes = demuxer.file().bytes();
  info.video.stream = stream.index;
  info.video.codec = avcodec_get_name(parameters.codec_id);
  info.video.quantisers = quantiser_scale_of(info.video.codec);
  const auto stored = AVPixelFormat(frame->format);
  ASSIGN_OR_RETURN(info.video.format, check_picture(stored, frame->width, frame->height));
  info.video.pixel_format = av_get_pix_fmt_name(stored);
  info.video.repacked = !is_planar(stored);
  info.video.alpha = has_alpha(stored);
  info.video.sample_aspect_ratio = aspect_of(demuxer, *frame);
  info.video.colour = colour_of(*frame);
  info.video.hdr10 = hdr10_of(*frame, stream);
  info.video.side_data = side_data_of(stream, *frame);
  info.video.woven = frames.woven();
  info.video.field_order = order_of(*frame, parameters);
  const int examined = is_interlaced(from_av(parameters.field_order)) ? kDoubtedFrames : kExaminedFrames;
  for (int i = 1; i < examined && !is_interlaced(info.video.field_order); i++) {
    if (!frames.next(*next).ok()) break;
    info.video.field_order = order_of(*next, parameters);
  }
  RETURN_IF_ERROR(fill_times(demuxer, frames, info));
  frames.go_back();
  RETURN_IF_ERROR(doubt_duration(demuxer, *packet, info));
  info.may_gain_streams = demuxer.may_gain_streams();
  info.chapters = int(demuxer.context().nb_chapters);
  info.tags = keys_of(demuxer.context().metadata);
  info.video_words = info_of_stream(demuxer, stream);
  for (const AVDictionary* tags : {demuxer.context().metadata, stream.metadata})
    if (const AVDictionaryEntry* timecode = av_dict_get(tags, "timecode", nullptr, 0))
      info.timecode = timecode->value;
  return info;
}

}  // namespace

StatusOr<MediaInfo> probe(const InputFilePtr& file, int programme) {
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file, programme));
  ASSIGN_OR_RETURN(MediaInfo info, gather_info(*demuxer));
  info.video.repeats_fields = repeats_fields(*demuxer);
  return info;
}

StatusOr<std::vector<StreamInfo>> probe_streams(const InputFilePtr& file, int programme,
                                                const std::function<Status()>& alive) {
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file, programme));
  return streams_of_whole_file(*demuxer, alive);
}

StatusOr<MediaInfo> probe(const std::string& path) {
  ASSIGN_OR_RETURN(const InputFilePtr file, InputFile::open(path));
  return probe(file);
}

}  // namespace weft::media
