// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/muxer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "server/media/read/facts.h"
#include "server/media/write/container.h"
#include "server/media/write/copied_part.h"
#include "server/media/write/output_file.h"
#include "server/media/write/output_stream.h"
#include "server/media/write/video_track.h"
#include "server/media/write/y4m.h"

namespace weft::media {

namespace {

constexpr auto kProgressPeriod = std::chrono::milliseconds(200);
constexpr int kMaxDelayMicroseconds =
    700'000;  // between a transport stream's clock and its packets, as is usual

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
  Muxer(const FinishRequest& request, VideoTrack& track, OutputFile& file, Demuxer& source)
      : request_(request),
        track_(track),
        file_(file),
        source_(source),
        part_(request.part, source),
        progress_(request.progress) {}

  Status start(const ContainerEntry& container, const OutputPlan& plan);
  Status write_packets();
  Status finish();
  int64_t repaired_times() const { return repaired_; }

 private:
  struct Target {
    int stream = -1;  // in the output; -1: not copied
    int64_t last_dts = AV_NOPTS_VALUE;
  };
  Status write_header(const ContainerEntry& container);
  StatusOr<bool> read_video();
  StatusOr<bool> read_copied();
  Status fill_video(const VideoTrack::Packet& from);
  void move_in_time(AVPacket& packet, const AVStream& from, Target& target);
  bool video_is_next() const;
  Status write(AVPacket& packet);
  Status failed(int result, std::string_view doing, const LogScope& log) const;

  const FinishRequest& request_;
  VideoTrack& track_;
  OutputFile& file_;
  Demuxer& source_;
  OutputPtr output_;
  PacketPtr video_{av_packet_alloc()};
  PacketPtr copied_{av_packet_alloc()};
  VideoTrack::Packet buffer_;
  Target video_target_{.stream = 0};
  std::vector<Target> targets_;   // by the source's stream
  std::vector<uint8_t> in_band_;  // parameter sets that go before each keyframe
  CopiedPart part_;
  ProgressReporter progress_;
  int64_t frames_ = 0;  // written
  int64_t repaired_ = 0;
};

Status Muxer::failed(int result, std::string_view doing, const LogScope& log) const {
  RETURN_IF_ERROR(file_.status());
  return make_status(error_code(result), fmt::format("The output ({}) cannot be {}: {}{}.", request_.name,
                                                     doing, error_text(result), log.remark()));
}

Status Muxer::start(const ContainerEntry& container, const OutputPlan& plan) {
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
  targets_.resize(source.nb_streams);
  for (const int stream : plan.copied) {
    RETURN_IF_ERROR(add_copied_stream(*output_, *source.streams[stream]));
    targets_[size_t(stream)].stream = int(output_->nb_streams) - 1;
  }
  RETURN_IF_ERROR(copy_chapters(*output_, source, part_));
  copy_metadata(*output_, source, part_);
  const AVCodecID codec = output_->streams[0]->codecpar->codec_id;
  if ((output_->oformat->flags & AVFMT_GLOBALHEADER) == 0 &&
      (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC))
    in_band_ = track_.header().extradata;
  return write_header(container);
}

Status Muxer::write_header(const ContainerEntry& container) {
  Dictionary options;
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
void Muxer::move_in_time(AVPacket& packet, const AVStream& from, Target& target) {
  const AVStream& to = *output_->streams[target.stream];
  const bool may_stand_still = (output_->oformat->flags & AVFMT_TS_NONSTRICT) != 0;
  const int64_t start = part_.start_in(from.time_base);
  if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts -= start;
  if (packet.dts != AV_NOPTS_VALUE) packet.dts -= start;
  const bool missing = packet.dts == AV_NOPTS_VALUE;
  av_packet_rescale_ts(&packet, from.time_base, to.time_base);
  const int64_t least =
      target.last_dts == AV_NOPTS_VALUE ? AV_NOPTS_VALUE : target.last_dts + (may_stand_still ? 0 : 1);
  if (missing || (least != AV_NOPTS_VALUE && packet.dts < least)) {
    packet.dts = least == AV_NOPTS_VALUE ? 0 : least;
    packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.dts : std::max(packet.pts, packet.dts);
    repaired_++;
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

StatusOr<bool> Muxer::read_copied() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, source_.read(*copied_));
    if (!more || part_.is_over(*copied_)) return false;
    RETURN_IF_ERROR(progress_.frames(frames_));  // what lies before a part may be long
    const auto stream = size_t(copied_->stream_index);
    if (stream >= targets_.size() || targets_[stream].stream < 0 || !part_.takes(*copied_)) continue;
    move_in_time(*copied_, *source_.context().streams[stream], targets_[stream]);
    return true;
  }
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
  const bool copies = std::ranges::any_of(targets_, [](const Target& target) { return target.stream >= 0; });
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

Status write_with_source(const FinishRequest& request, const ContainerEntry& container, VideoTrack& track,
                         OutputFile& file, FinishResult& result) {
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source));
  const std::vector<StreamFacts> others = other_streams(*source);
  const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(track.header().codec.c_str());
  ASSIGN_OR_RETURN(
      const OutputPlan plan,
      plan_output(container, codec != nullptr ? codec->id : AV_CODEC_ID_NONE, others,
                  Unsupported::kDrop));  // what is refused was refused before anything was encoded
  Muxer muxer(request, track, file, *source);
  RETURN_IF_ERROR(muxer.start(container, plan));
  RETURN_IF_ERROR(muxer.write_packets());
  RETURN_IF_ERROR(muxer.finish());
  result.notes = plan.notes;
  if (muxer.repaired_times() > 0)
    result.notes.push_back(
        fmt::format("Missing or falling timestamps of copied streams were repaired (packets: {}).",
                    muxer.repaired_times()));
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
  ASSIGN_OR_RETURN(const auto file, OutputFile::create(request.output));
  if (container->only_video)
    RETURN_IF_ERROR(write_y4m(request, *track, *file));
  else
    RETURN_IF_ERROR(write_with_source(request, *container, *track, *file, result));
  ASSIGN_OR_RETURN(result.bytes, file->finish());
  return result;
}

}  // namespace weft::media
