// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/muxing.h"

#include <algorithm>
#include <utility>

#include "server/media/write/metadata.h"

namespace weft::media {

namespace {

constexpr auto kProgressPeriod = std::chrono::milliseconds(200);
constexpr int kMaxDelayMicroseconds =
    700'000;  // usual delay between a transport stream's clock and its packets
// Limits of a trial: packets of each copied stream, and bytes of the source.
constexpr int64_t kTriedPackets = 3, kTriedBytes = 16 << 20;

// Returns FFmpeg's compliance level for an MP4. FFmpeg declares FLAC and TrueHD in MP4
// experimental, and the boxes of stereo views and spheres unofficial, although all have a
// specification.
int compliance_of(const AVFormatContext& output) {
  int compliance = FF_COMPLIANCE_NORMAL;
  for (unsigned i = 0; i < output.nb_streams; i++) {
    const AVCodecID codec = output.streams[i]->codecpar->codec_id;
    if (codec == AV_CODEC_ID_FLAC || codec == AV_CODEC_ID_TRUEHD) return FF_COMPLIANCE_EXPERIMENTAL;
    for (const auto kind : {AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL})
      if (av_stream_get_side_data(output.streams[i], kind, nullptr) != nullptr)
        compliance = FF_COMPLIANCE_UNOFFICIAL;
  }
  return compliance;
}

}  // namespace

Status ProgressReporter::frames(int64_t count) {
  const auto now = std::chrono::steady_clock::now();
  if (!report_ || now - last_ < kProgressPeriod) return ok_status();
  last_ = now;
  return report_(count);
}

Muxing::Muxing(Parts parts)
    : parts_(std::move(parts)), part_(parts_.part, *parts_.source), progress_(parts_.progress) {}

Status Muxing::failed(int result, std::string_view doing, const LogScope& log) const {
  RETURN_IF_ERROR(parts_.file_status());
  return make_status(error_code(result), fmt::format("The output ({}) cannot be {}: {}{}.", parts_.name,
                                                     doing, error_text(result), log.remark()));
}

Status Muxing::start(AVIOContext* io, const ContainerEntry& container, const OutputPlan& plan,
                     const AVFormatContext& described, const SegmentHeader& video, int64_t reorder_frames) {
  AVFormatContext* output = nullptr;
  const LogScope log;
  const int result =
      avformat_alloc_output_context2(&output, nullptr, std::string(container.muxer).c_str(), nullptr);
  if (result < 0 || !video_ || !copied_) return failed(result, "begun", log);
  output_.reset(output);
  output_->pb = io;
  // The output contains no dates, versions or random numbers.
  output_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
  output_->max_delay = kMaxDelayMicroseconds;
  video_unit_ = to_av(video.time_base);
  const AVFormatContext& source = parts_.source->context();
  RETURN_IF_ERROR(
      add_video_stream(*output_, container, video, reorder_frames, parts_.source->video(), part_));
  // Matroska would declare it as the duration of each frame.
  AVStream& video_stream = *output_->streams[0];
  if (!parts_.constant_rate) video_stream.avg_frame_rate = video_stream.r_frame_rate = {0, 1};
  RETURN_IF_ERROR(add_streams(container, plan, described));
  RETURN_IF_ERROR(copy_chapters(*output_, source, part_));
  copy_metadata(*output_, container, source, video, part_);
  const AVCodecID codec = output_->streams[0]->codecpar->codec_id;
  if ((output_->oformat->flags & AVFMT_GLOBALHEADER) == 0 &&
      (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC))
    in_band_ = video.extradata;
  return write_header(container);
}

Status Muxing::add_streams(const ContainerEntry& container, const OutputPlan& plan,
                           const AVFormatContext& described) {
  targets_.resize(described.nb_streams);
  const bool has_global_header = (output_->oformat->flags & AVFMT_GLOBALHEADER) != 0;
  for (const int stream : plan.copied) {
    const AVStream& from = *described.streams[stream];
    if (std::ranges::count(plan.encoded, stream) == 0) {
      RETURN_IF_ERROR(add_copied(container, from));
      continue;
    }
    ASSIGN_OR_RETURN(const AudioEncoder* const audio,
                     audio_.add(from, codec_of(parts_.choices.audio_of(stream)), has_global_header));
    RETURN_IF_ERROR(add_encoded_audio(*output_, container, from, audio->encoder()));
    targets_[size_t(stream)].push_back({.stream = int(output_->nb_streams) - 1});
  }
  // FFmpeg's Matroska muxer subtracts the padding from the times itself.
  if (audio_.has_padding() && std::string_view(output_->oformat->name).find("matroska") == 0)
    output_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  return ok_status();
}

Status Muxing::add_copied(const ContainerEntry& container, const AVStream& from) {
  const auto add = [&]() -> Status {
    RETURN_IF_ERROR(add_copied_stream(*output_, container, from));
    targets_[size_t(from.index)].push_back({.stream = int(output_->nb_streams) - 1});
    return ok_status();
  };
  if (parts_.routes == nullptr || parts_.routes->tracks(from.index).empty()) return add();
  const std::vector<AudioFormat>& formats = parts_.routes->tracks(from.index);
  for (size_t i = 0; i < formats.size(); i++) {
    RETURN_IF_ERROR(add());
    AVStream& track = *output_->streams[output_->nb_streams - 1];
    if (formats[i].sample_rate > 0) describe_audio(formats[i], *track.codecpar);
    if (i > 0) track.disposition &= ~AV_DISPOSITION_DEFAULT;
  }
  return ok_status();
}

Status Muxing::write_header(const ContainerEntry& container) {
  Dictionary options;
  if (container.name == "mp4") output_->strict_std_compliance = compliance_of(*output_);
  if (container.muxer == "mpegts") options.set("mpegts_m2ts_mode", container.name == "m2ts" ? "1" : "0");
  if (needs_apple_keys(container, output_->metadata)) options.set("movflags", "use_metadata_tags");
  const LogScope log;
  const int result = avformat_write_header(output_.get(), options.address());
  return result < 0 ? failed(result, "begun", log) : ok_status();
}

Status Muxing::fill_video(const VideoTrack::Packet& from) {
  const size_t front = from.info.key ? in_band_.size() : 0;
  if (av_new_packet(video_.get(), int(front + from.data.size())) < 0)
    return resource_exhausted("There is no memory for a packet of {} bytes.", from.data.size());
  std::copy_n(in_band_.data(), front, video_->data);
  std::ranges::copy(from.data, video_->data + front);
  video_->pts = from.info.pts;
  video_->dts = from.dts;
  video_->duration = from.info.duration;
  video_->flags = from.info.key ? AV_PKT_FLAG_KEY : 0;
  return ok_status();
}

// Returns the delay to add to a stream's times. In Matroska the time of an Opus block is that of
// the first sample after the padding, but FFmpeg's muxer writes the times unchanged.
int64_t Muxing::delay_of(const AVStream& to) const {
  const AVCodecParameters& audio = *to.codecpar;
  const std::string_view muxer = output_->oformat->name;
  const bool says_delay = audio.codec_id == AV_CODEC_ID_OPUS && (muxer == "matroska" || muxer == "webm");
  return says_delay ? av_rescale_q(audio.initial_padding, {1, 48'000}, to.time_base) : 0;
}

// Converts the source's times to the output's: subtracts the start, converts to the unit of the
// output's stream, and makes decoding times increase.
void Muxing::move_in_time(AVPacket& packet, AVRational unit, Target& target) {
  const AVStream& to = *output_->streams[target.stream];
  const bool may_stand_still = (output_->oformat->flags & AVFMT_TS_NONSTRICT) != 0;
  const int64_t start = part_.start_in(unit);
  if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts -= start;
  if (packet.dts != AV_NOPTS_VALUE) packet.dts -= start;
  const bool missing = packet.dts == AV_NOPTS_VALUE;
  av_packet_rescale_ts(&packet, unit, to.time_base);
  if (packet.pts != AV_NOPTS_VALUE) packet.pts += delay_of(to);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts += delay_of(to);
  const int64_t least =
      target.last_dts == AV_NOPTS_VALUE ? AV_NOPTS_VALUE : target.last_dts + (may_stand_still ? 0 : 1);
  // A cover picture has no time, so its repair is not counted.
  const bool is_picture = (to.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
  if (missing || (least != AV_NOPTS_VALUE && packet.dts < least)) {
    packet.dts = least == AV_NOPTS_VALUE ? 0 : least;
    packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.dts : std::max(packet.pts, packet.dts);
    repaired_ += is_picture ? 0 : 1;
  }
  if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
  target.last_dts = packet.dts;
  target.packets++;
  packet.stream_index = target.stream;
  packet.pos = -1;
}

StatusOr<bool> Muxing::read_video(VideoTrack& track) {
  ASSIGN_OR_RETURN(const bool more, track.next(buffer_));
  if (!more) return false;
  RETURN_IF_ERROR(fill_video(buffer_));
  const int64_t start = part_.start_in(video_unit_);
  const AVStream& to = *output_->streams[0];
  video_->pts -= start;
  video_->dts -= start;
  av_packet_rescale_ts(video_.get(), video_unit_, to.time_base);
  // In a coarser unit two times can become equal.
  if (video_target_.last_dts != AV_NOPTS_VALUE && video_->dts <= video_target_.last_dts)
    video_->dts = video_target_.last_dts + 1;
  video_->pts = std::max(video_->pts, video_->dts);
  video_target_.last_dts = video_->dts;
  video_->stream_index = 0;
  return true;
}

bool Muxing::take_encoded() {
  AVRational unit{};
  if (!audio_.take(*copied_, &unit)) return false;
  move_in_time(*copied_, unit, targets_[size_t(copied_->stream_index)].front());
  return true;
}

StatusOr<Muxing::Target*> Muxing::place_copied() {
  const auto stream = size_t(copied_->stream_index);
  const bool is_copied = stream < targets_.size() && !targets_[stream].empty();
  const bool is_encoded = is_copied && audio_.has(copied_->stream_index);
  const bool is_watched = parts_.watch != nullptr && parts_.watch->is_late(copied_->stream_index);
  if (is_encoded) RETURN_IF_ERROR(audio_.send(*copied_));
  if ((!is_copied && !is_watched) || !part_.takes(*copied_)) return nullptr;
  if (is_watched) parts_.watch->see(*copied_);
  if (is_encoded) return nullptr;
  if (parts_.finds != nullptr) parts_.finds->see(*copied_, *parts_.source->context().streams[stream]);
  if (!is_copied) return nullptr;
  const size_t track = parts_.routes != nullptr ? parts_.routes->next(copied_->stream_index) : 0;
  return &targets_[stream][track];
}

StatusOr<bool> Muxing::read_copied() {
  while (!take_encoded()) {
    if (source_has_ended_) return false;
    ASSIGN_OR_RETURN(const bool more, parts_.source->read(*copied_));
    source_has_ended_ = !more || part_.is_over(*copied_);
    if (source_has_ended_) {
      RETURN_IF_ERROR(audio_.end());
      continue;
    }
    // reports while the source before the part is read, which may take long
    RETURN_IF_ERROR(progress_.frames(frames_));
    ASSIGN_OR_RETURN(Target* const target, place_copied());
    if (target == nullptr) continue;
    move_in_time(*copied_, parts_.source->context().streams[copied_->stream_index]->time_base, *target);
    return true;
  }
  return true;
}

bool Muxing::video_is_next() const {
  return av_compare_ts(video_->dts, output_->streams[0]->time_base, copied_->dts,
                       output_->streams[copied_->stream_index]->time_base) <= 0;
}

Status Muxing::write(AVPacket& packet) {
  const LogScope log;
  const int result = av_interleaved_write_frame(output_.get(), &packet);
  return result < 0 ? failed(result, "written", log) : ok_status();
}

Status Muxing::write_packets(VideoTrack& track) {
  const bool copies = (parts_.watch != nullptr && parts_.watch->expects_any()) ||
                      std::ranges::any_of(targets_, [](const auto& targets) { return !targets.empty(); });
  ASSIGN_OR_RETURN(bool video_left, read_video(track));
  bool copied_left = false;
  if (copies) {
    ASSIGN_OR_RETURN(copied_left, read_copied());
  }
  while (video_left || copied_left) {
    if (video_left && (!copied_left || video_is_next())) {
      RETURN_IF_ERROR(write(*video_));
      RETURN_IF_ERROR(progress_.frames(++frames_));
      ASSIGN_OR_RETURN(video_left, read_video(track));
    } else {
      RETURN_IF_ERROR(write(*copied_));
      ASSIGN_OR_RETURN(copied_left, read_copied());
    }
  }
  return ok_status();
}

Status Muxing::finish() {
  const LogScope log;
  const int result = av_write_trailer(output_.get());
  return result < 0 ? failed(result, "finished", log) : ok_status();
}

bool Muxing::has_tried_all() const {
  for (size_t i = 0; i < targets_.size(); i++)
    if (!targets_[i].empty() && !audio_.has(int(i)) && targets_[i].front().packets < kTriedPackets)
      return false;
  return true;
}

Status Muxing::try_packets(int& index) {
  index = -1;
  for (int64_t bytes = 0; bytes < kTriedBytes && !has_tried_all(); bytes += copied_->size) {
    ASSIGN_OR_RETURN(const bool more, parts_.source->read(*copied_));
    if (!more) break;
    const int stream = copied_->stream_index;
    ASSIGN_OR_RETURN(Target* const target, place_copied());
    if (target == nullptr) continue;
    move_in_time(*copied_, parts_.source->context().streams[stream]->time_base, *target);
    const LogScope log;
    const int result = av_write_frame(output_.get(), copied_.get());
    if (result >= 0) continue;
    index = stream;
    return failed(result, "written", log);
  }
  return ok_status();
}

}  // namespace weft::media
