// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/muxer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "server/media/read/facts.h"
#include "server/media/read/stream_watch.h"
#include "server/media/write/container.h"
#include "server/media/write/copied_part.h"
#include "server/media/write/output_file.h"
#include "server/media/write/output_stream.h"
#include "server/media/write/sound_tracks.h"
#include "server/media/write/video_track.h"
#include "server/media/write/y4m.h"

namespace weft::media {

namespace {

constexpr auto kProgressPeriod = std::chrono::milliseconds(200);
constexpr int kMaxDelayMicroseconds =
    700'000;  // between a transport stream's clock and its packets, as is usual

// FFmpeg calls FLAC and TrueHD in MP4 experimental, and the boxes of views and spheres unofficial. All have a specification.
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

// Calls the caller's progress function now and then.
class ProgressReporter {
 public:
  explicit ProgressReporter(const std::function<Status(int64_t)>& report) : report_(report) {}
  Status frames(int64_t count) {
    const auto now = std::chrono::steady_clock::now();
    if (!report_ || now - last_ < kProgressPeriod) return ok_status();
    last_ = now;
    return report_(count);
  }

 private:
  const std::function<Status(int64_t)>& report_;
  std::chrono::steady_clock::time_point last_{};
};

class Muxer {
 public:
  // `watch`: null, or that of the source.
  Muxer(const FinishRequest& request, VideoTrack& track, OutputFile& file, Demuxer& source,
        StreamWatch* watch)
      : request_(request),
        track_(track),
        file_(file),
        source_(source),
        watch_(watch),
        part_(request.part, source),
        progress_(request.progress) {}

  // `described`: the source's streams with their formats.
  Status start(const ContainerEntry& container, const OutputPlan& plan, const AVFormatContext& described);
  Status write_packets();
  Status finish();
  int64_t repaired_times() const { return repaired_; }
  std::vector<std::string> sound_notes() const { return sound_.notes(); }

 private:
  struct Target {
    int stream = -1;  // in the output; -1: not copied
    int64_t last_dts = AV_NOPTS_VALUE;
  };
  Status write_header(const ContainerEntry& container);
  StatusOr<bool> read_video();
  Status add_streams(const OutputPlan& plan, const AVFormatContext& described);
  StatusOr<bool> read_copied();
  bool take_encoded();
  Status fill_video(const VideoTrack::Packet& from);
  void move_in_time(AVPacket& packet, AVRational unit, Target& target);
  bool video_is_next() const;
  Status write(AVPacket& packet);
  Status failed(int result, std::string_view doing, const LogScope& log) const;

  const FinishRequest& request_;
  VideoTrack& track_;
  OutputFile& file_;
  Demuxer& source_;
  StreamWatch* watch_;
  OutputPtr output_;
  PacketPtr video_{av_packet_alloc()};
  PacketPtr copied_{av_packet_alloc()};
  VideoTrack::Packet buffer_;
  Target video_target_{.stream = 0};
  std::vector<Target> targets_;   // by the source's stream
  std::vector<uint8_t> in_band_;  // parameter sets that go before each keyframe
  CopiedPart part_;
  SoundTracks sound_{part_};
  bool source_has_ended_ = false;
  ProgressReporter progress_;
  int64_t frames_ = 0;  // written
  int64_t repaired_ = 0;
};

Status Muxer::failed(int result, std::string_view doing, const LogScope& log) const {
  RETURN_IF_ERROR(file_.status());
  return make_status(error_code(result), fmt::format("The output ({}) cannot be {}: {}{}.", request_.name,
                                                     doing, error_text(result), log.remark()));
}

Status Muxer::start(const ContainerEntry& container, const OutputPlan& plan,
                    const AVFormatContext& described) {
  AVFormatContext* output = nullptr;
  const LogScope log;
  const int result =
      avformat_alloc_output_context2(&output, nullptr, std::string(container.muxer).c_str(), nullptr);
  if (result < 0 || !video_ || !copied_) return failed(result, "begun", log);
  output_.reset(output);
  output_->pb = file_.io();
  output_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;  // no dates, versions or random numbers
  output_->max_delay = kMaxDelayMicroseconds;
  const AVFormatContext& source = source_.context();
  RETURN_IF_ERROR(add_video_stream(*output_, track_, source_.video(), part_));
  RETURN_IF_ERROR(add_streams(plan, described));
  RETURN_IF_ERROR(copy_chapters(*output_, source, part_));
  copy_metadata(*output_, source, part_);
  const AVCodecID codec = output_->streams[0]->codecpar->codec_id;
  if ((output_->oformat->flags & AVFMT_GLOBALHEADER) == 0 &&
      (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC))
    in_band_ = track_.header().extradata;
  return write_header(container);
}

Status Muxer::add_streams(const OutputPlan& plan, const AVFormatContext& described) {
  targets_.resize(described.nb_streams);
  const bool has_global_header = (output_->oformat->flags & AVFMT_GLOBALHEADER) != 0;
  for (const int stream : plan.copied) {
    const AVStream& from = *described.streams[stream];
    if (std::ranges::count(plan.encoded, stream) > 0) {
      ASSIGN_OR_RETURN(const SoundEncoder* const sound,
                       sound_.add(from, codec_of(request_.choices.sound(stream)), has_global_header));
      RETURN_IF_ERROR(add_encoded_sound(*output_, from, sound->encoder()));
    } else {
      RETURN_IF_ERROR(add_copied_stream(*output_, from));
    }
    targets_[size_t(stream)].stream = int(output_->nb_streams) - 1;
  }
  // Matroska takes the padding off the times itself.
  if (sound_.has_padding() && std::string_view(output_->oformat->name).find("matroska") == 0)
    output_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  return ok_status();
}

Status Muxer::write_header(const ContainerEntry& container) {
  Dictionary options;
  if (container.name == "mp4") output_->strict_std_compliance = compliance_of(*output_);
  if (container.muxer == "mpegts") options.set("mpegts_m2ts_mode", container.name == "m2ts" ? "1" : "0");
  const LogScope log;
  const int result = avformat_write_header(output_.get(), options.address());
  return result < 0 ? failed(result, "begun", log) : ok_status();
}

Status Muxer::fill_video(const VideoTrack::Packet& from) {
  const size_t front = from.facts.key ? in_band_.size() : 0;
  if (av_new_packet(video_.get(), int(front + from.data.size())) < 0)
    return resource_exhausted("There is no memory for a packet of {} bytes.", from.data.size());
  std::copy_n(in_band_.data(), front, video_->data);
  std::ranges::copy(from.data, video_->data + front);
  video_->pts = from.facts.pts;
  video_->dts = from.dts;
  video_->duration = from.facts.duration;
  video_->flags = from.facts.key ? AV_PKT_FLAG_KEY : 0;
  return ok_status();
}

// From the source's times to the output's: less the start, in the stream's unit, decoding times rising.
void Muxer::move_in_time(AVPacket& packet, AVRational unit, Target& target) {
  const AVStream& to = *output_->streams[target.stream];
  const bool may_stand_still = (output_->oformat->flags & AVFMT_TS_NONSTRICT) != 0;
  const int64_t start = part_.start_in(unit);
  if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts -= start;
  if (packet.dts != AV_NOPTS_VALUE) packet.dts -= start;
  const bool missing = packet.dts == AV_NOPTS_VALUE;
  av_packet_rescale_ts(&packet, unit, to.time_base);
  const int64_t least =
      target.last_dts == AV_NOPTS_VALUE ? AV_NOPTS_VALUE : target.last_dts + (may_stand_still ? 0 : 1);
  const bool is_picture = (to.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;  // has no time to repair
  if (missing || (least != AV_NOPTS_VALUE && packet.dts < least)) {
    packet.dts = least == AV_NOPTS_VALUE ? 0 : least;
    packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.dts : std::max(packet.pts, packet.dts);
    repaired_ += is_picture ? 0 : 1;
  }
  if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
  target.last_dts = packet.dts;
  packet.stream_index = target.stream;
  packet.pos = -1;
}

StatusOr<bool> Muxer::read_video() {
  ASSIGN_OR_RETURN(const bool more, track_.next(buffer_));
  if (!more) return false;
  RETURN_IF_ERROR(fill_video(buffer_));
  const int64_t start = part_.start_in(to_av(track_.header().time_base));
  const AVStream& to = *output_->streams[0];
  video_->pts -= start;
  video_->dts -= start;
  av_packet_rescale_ts(video_.get(), to_av(track_.header().time_base), to.time_base);
  // A coarser unit may let two times fall together.
  if (video_target_.last_dts != AV_NOPTS_VALUE && video_->dts <= video_target_.last_dts)
    video_->dts = video_target_.last_dts + 1;
  video_->pts = std::max(video_->pts, video_->dts);
  video_target_.last_dts = video_->dts;
  video_->stream_index = 0;
  return true;
}

bool Muxer::take_encoded() {
  AVRational unit{};
  if (!sound_.take(*copied_, &unit)) return false;
  move_in_time(*copied_, unit, targets_[size_t(copied_->stream_index)]);
  return true;
}

StatusOr<bool> Muxer::read_copied() {
  while (!take_encoded()) {
    if (source_has_ended_) return false;
    ASSIGN_OR_RETURN(const bool more, source_.read(*copied_));
    source_has_ended_ = !more || part_.is_over(*copied_);
    if (source_has_ended_) {
      RETURN_IF_ERROR(sound_.end());
      continue;
    }
    RETURN_IF_ERROR(progress_.frames(frames_));  // what lies before a part may be long
    const auto stream = size_t(copied_->stream_index);
    const bool is_copied = stream < targets_.size() && targets_[stream].stream >= 0;
    const bool is_encoded = is_copied && sound_.has(copied_->stream_index);
    const bool is_watched = watch_ != nullptr && watch_->is_late(copied_->stream_index);
    if (is_encoded) RETURN_IF_ERROR(sound_.send(*copied_));
    if ((!is_copied && !is_watched) || !part_.takes(*copied_)) continue;
    if (is_watched) watch_->see(*copied_);
    if (!is_copied || is_encoded) continue;
    move_in_time(*copied_, source_.context().streams[stream]->time_base, targets_[stream]);
    return true;
  }
  return true;
}

bool Muxer::video_is_next() const {
  return av_compare_ts(video_->dts, output_->streams[0]->time_base, copied_->dts,
                       output_->streams[copied_->stream_index]->time_base) <= 0;
}

Status Muxer::write(AVPacket& packet) {
  const LogScope log;
  const int result = av_interleaved_write_frame(output_.get(), &packet);
  return result < 0 ? failed(result, "written", log) : ok_status();
}

Status Muxer::write_packets() {
  const bool copies = (watch_ != nullptr && watch_->expects_any()) ||
                      std::ranges::any_of(targets_, [](const Target& target) { return target.stream >= 0; });
  ASSIGN_OR_RETURN(bool video_left, read_video());
  bool copied_left = false;
  if (copies) {
    ASSIGN_OR_RETURN(copied_left, read_copied());
  }
  while (video_left || copied_left) {
    if (video_left && (!copied_left || video_is_next())) {
      RETURN_IF_ERROR(write(*video_));
      RETURN_IF_ERROR(progress_.frames(++frames_));
      ASSIGN_OR_RETURN(video_left, read_video());
    } else {
      RETURN_IF_ERROR(write(*copied_));
      ASSIGN_OR_RETURN(copied_left, read_copied());
    }
  }
  return ok_status();
}

Status Muxer::finish() {
  const LogScope log;
  const int result = av_write_trailer(output_.get());
  return result < 0 ? failed(result, "finished", log) : ok_status();
}

Status write_y4m(const FinishRequest& request, VideoTrack& track, OutputFile& file) {
  ASSIGN_OR_RETURN(const std::string header, y4m_header(track.header()));
  const auto write = [&](std::string_view text) {
    avio_write(file.io(), reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  };
  write(header);
  ProgressReporter progress(request.progress);
  VideoTrack::Packet packet;
  for (int64_t frames = 0;; frames++) {
    ASSIGN_OR_RETURN(const bool more, track.next(packet));
    if (!more) return ok_status();
    write(kY4mFrame);
    avio_write(file.io(), packet.data.data(), int(packet.data.size()));
    RETURN_IF_ERROR(file.status());
    RETURN_IF_ERROR(progress.frames(frames));
  }
}

// Writes what the plan says. `described`: see Muxer::start.
Status write_planned(const ContainerEntry& container, const OutputPlan& plan, Muxer& muxer,
                     const AVFormatContext& described, FinishResult& result) {
  RETURN_IF_ERROR(muxer.start(container, plan, described));
  RETURN_IF_ERROR(muxer.write_packets());
  RETURN_IF_ERROR(muxer.finish());
  result.notes = muxer.sound_notes();
  if (muxer.repaired_times() > 0)
    result.notes.push_back(
        fmt::format("Missing or falling timestamps of copied streams were repaired (packets: {}).",
                    muxer.repaired_times()));
  return ok_status();
}

// A container lists its streams at its beginning. Where the end of the source shows that one is missing, all is written again.
Status write_with_source(const FinishRequest& request, const ContainerEntry& container,
                         std::unique_ptr<OutputFile>& file, FinishResult& result) {
  ASSIGN_OR_RETURN(auto track, VideoTrack::open(request.segments));
  const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(track->header().codec.c_str());
  const auto plan_of = [&](const std::vector<StreamFacts>& streams) {
    return plan_output(container, codec != nullptr ? codec->id : AV_CODEC_ID_NONE, streams, request.choices);
  };
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source, request.programme));
  ASSIGN_OR_RETURN(const OutputPlan first, plan_of(other_streams(*source)));
  StreamWatch watch(*source);
  ASSIGN_OR_RETURN(file, OutputFile::create(request.output));
  Muxer muxer(request, *track, *file, *source, &watch);
  RETURN_IF_ERROR(write_planned(container, first, muxer, source->context(), result));
  ASSIGN_OR_RETURN(const OutputPlan whole, plan_of(watch.streams()));
  if (whole.copied == first.copied) {
    result.notes.insert(result.notes.begin(), whole.notes.begin(), whole.notes.end());
    return ok_status();
  }
  ASSIGN_OR_RETURN(const auto again, Demuxer::open(request.source, request.programme));
  ASSIGN_OR_RETURN(track, VideoTrack::open(request.segments));
  ASSIGN_OR_RETURN(file, OutputFile::create(request.output));
  Muxer second(request, *track, *file, *again, nullptr);
  RETURN_IF_ERROR(write_planned(container, whole, second, source->context(), result));
  result.notes.insert(result.notes.begin(), whole.notes.begin(), whole.notes.end());
  return ok_status();
}

// Streams that begin late are left out as the others are.
Status note_late_streams(const FinishRequest& request, const ContainerEntry& container,
                         FinishResult& result) {
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source, request.programme));
  const auto alive = [&] { return request.progress ? request.progress(result.frames) : ok_status(); };
  ASSIGN_OR_RETURN(const std::vector<StreamFacts> streams, streams_of_whole_file(*source, alive));
  ASSIGN_OR_RETURN(const OutputPlan plan,
                   plan_output(container, AV_CODEC_ID_RAWVIDEO, streams, request.choices));
  result.notes = plan.notes;
  return ok_status();
}

}  // namespace

StatusOr<FinishResult> finish(const FinishRequest& request) {
  ASSIGN_OR_RETURN(const auto track, VideoTrack::open(request.segments));
  FinishResult result;
  result.frames = track->frames();
  if (result.frames != request.expected_frames)
    return internal_error("The segments hold {} frames, and {} were expected; start the job over.",
                          result.frames, request.expected_frames);
  if (track->header().codec.empty()) return result;  // the encoder null
  ASSIGN_OR_RETURN(const ContainerEntry* container, find_container(request.name));
  std::unique_ptr<OutputFile> file;
  if (!container->only_video) {
    RETURN_IF_ERROR(write_with_source(request, *container, file, result));
  } else {
    ASSIGN_OR_RETURN(file, OutputFile::create(request.output));
    RETURN_IF_ERROR(write_y4m(request, *track, *file));
    RETURN_IF_ERROR(note_late_streams(request, *container, result));
  }
  ASSIGN_OR_RETURN(result.bytes, file->finish());
  return result;
}

}  // namespace weft::media
