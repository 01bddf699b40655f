// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/demuxer.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <unistd.h>

#include "server/media/file_calls.h"
#include "server/media/read/packets/programme.h"

namespace weft::media {

namespace {

constexpr int kIoBufferBytes = 256 * 1024;
constexpr int64_t kProbeBytes = 32 * 1024 * 1024;
constexpr int64_t kAnalyseMicroseconds = 10 * int64_t{AV_TIME_BASE};
constexpr unsigned kMaxStreams = 1000;

// Demuxers that make frames of other data (text) or read lists of files.
constexpr std::string_view kRefusedDemuxers[] = {"tty",  "concat", "hls",  "dash", "image2", "sdp",
                                                 "rtsp", "bin",    "xbin", "adf",  "idf"};

int64_t limit_in(std::chrono::seconds limit, AVRational unit) {
  return av_rescale_q(limit.count(), {1, 1}, unit);
}

bool is_possible(int64_t time, AVRational unit) {
  const int64_t limit = limit_in(kLatestTime, unit);
  return time == AV_NOPTS_VALUE || (-limit <= time && time <= limit);
}

int refuse_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) { return AVERROR(EACCES); }

}  // namespace

int Demuxer::read_bytes(void* self, uint8_t* target, int count) {
  auto& demuxer = *static_cast<Demuxer*>(self);
  const FileCall call("read", demuxer.file_->name());
  // For all readers, a file that grows ends at its size at the time of opening.
  const int64_t left = demuxer.file_->bytes() - demuxer.offset_;
  if (left <= 0) return AVERROR_EOF;
  count = int(std::min<int64_t>(count, left));
  ssize_t read;
  do read = ::pread(demuxer.file_->descriptor(), target, size_t(count), demuxer.offset_);
  while (read < 0 && errno == EINTR);
  if (read < 0) {
    demuxer.read_error_ = errno;
    return AVERROR(EIO);
  }
  if (read == 0) {
    demuxer.shrank_ = true;
    return AVERROR_EOF;
  }
  demuxer.offset_ += read;
  return int(read);
}

int64_t Demuxer::seek_bytes(void* self, int64_t offset, int whence) {
  auto& demuxer = *static_cast<Demuxer*>(self);
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return demuxer.file_->bytes();
    case SEEK_SET:
      break;
    case SEEK_CUR:
      offset += demuxer.offset_;
      break;
    case SEEK_END:
      offset += demuxer.file_->bytes();
      break;
    default:
      return AVERROR(EINVAL);
  }
  if (offset < 0) return AVERROR(EINVAL);
  return demuxer.offset_ = offset;
}

StatusOr<std::unique_ptr<Demuxer>> Demuxer::open(InputFilePtr file, int programme) {
  std::unique_ptr<Demuxer> demuxer(new Demuxer(std::move(file)));
  RETURN_IF_ERROR(demuxer->open_context());
  ASSIGN_OR_RETURN(demuxer->video_stream_,
                   choose_video(*demuxer->context_, programme, demuxer->file_->name()));
  demuxer->forget_impossible_times();
  demuxer->start_ = demuxer->clock_ = start_of_programme(*demuxer->context_, demuxer->video_stream_);
  demuxer->extent_.start(demuxer->video_stream_);
  demuxer->repair_.start(*demuxer->context_, demuxer->video_stream_);
  return demuxer;
}

Status Demuxer::open_context() {
  const LogScope log;
  auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBufferBytes));
  if (buffer == nullptr)
    return resource_exhausted("There is no memory to read the input ({}).", file_->name());
  io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 0, this, read_bytes, nullptr, seek_bytes));
  AVFormatContext* context = avformat_alloc_context();
  if (!io_ || context == nullptr) {
    avformat_free_context(context);
    return resource_exhausted("There is no memory to read the input ({}).", file_->name());
  }
  context->pb = io_.get();
  context->flags |= AVFMT_FLAG_CUSTOM_IO;
  context->io_open = refuse_open;
  context->max_streams = int(kMaxStreams);
  context->probesize = kProbeBytes;
  context->max_analyze_duration = kAnalyseMicroseconds;
  Dictionary options;
  options.set("protocol_whitelist", "none");  // forbids a list of files to open others
  int result =
      // This call frees the context when it fails.
      avformat_open_input(&context, nullptr, nullptr, options.address());
  if (result >= 0) context_.reset(context);
  if (result >= 0 && std::ranges::count(kRefusedDemuxers, context_->iformat->name) > 0)
    result = AVERROR_INVALIDDATA;
  if (result >= 0) result = avformat_find_stream_info(context_.get(), nullptr);
  if (read_error_ != 0) return system_error(read_error_, "read", file_->name());
  if (result >= 0) return ok_status();
  // FFmpeg's errors of opening (EINVAL, ENOMEM for an absurd size ...) mean that the file is at
  // fault.
  return invalid_argument("The input ({}) is not a media file that FFmpeg can read{}; give a video file.",
                          file_->name(), log.remark());
}

// Clears impossible times in the container's declarations. check_times() checks those of packets.
void Demuxer::forget_impossible_times() {
  const auto forget = [](int64_t& time, AVRational unit) {
    if (!is_possible(time, unit)) time = AV_NOPTS_VALUE;
  };
  forget(context_->start_time, kMicroseconds);
  forget(context_->duration, kMicroseconds);
  for (unsigned i = 0; i < context_->nb_streams; i++) {
    forget(context_->streams[i]->start_time, context_->streams[i]->time_base);
    forget(context_->streams[i]->duration, context_->streams[i]->time_base);
  }
  for (unsigned i = 0; i < context_->nb_chapters; i++) {
    forget(context_->chapters[i]->start, context_->chapters[i]->time_base);
    forget(context_->chapters[i]->end, context_->chapters[i]->time_base);
  }
}

Status Demuxer::check_times(AVPacket& packet) const {
  const AVRational unit = context_->streams[packet.stream_index]->time_base;
  packet.duration = std::clamp<int64_t>(packet.duration, 0, limit_in(kLongestDuration, unit));
  for (int64_t* const time : {&packet.pts, &packet.dts}) {
    if (is_possible(*time, unit)) continue;
    if (packet.stream_index == video_stream_)
      return invalid_argument(
          "The video of the input ({}) has a time ({:.4g} s) that is further from 0 than {} s; give its "
          "times a start near 0, such "
          "as with ffmpeg -i IN -c copy OUT.",
          file_->name(), double(*time) * av_q2d(unit), kLatestTime.count());
    *time = AV_NOPTS_VALUE;
  }
  return ok_status();
}

void Demuxer::follow_clock(const AVPacket& packet) {
  const int stream = packet.stream_index;
  for (auto known = int(is_unsupported_.size()); known <= stream; known++)
    is_unsupported_.push_back(char(!other_programme_of(*context_, known, video_stream_).empty()));
  const AVStream& from = *context_->streams[stream];
  const int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
  const bool has_clock =
      (from.disposition & AV_DISPOSITION_ATTACHED_PIC) == 0 && is_unsupported_[size_t(stream)] == 0;
  if (has_clock && time != AV_NOPTS_VALUE) clock_ = av_rescale_q(time, from.time_base, kMicroseconds);
}

bool Demuxer::may_gain_streams() const {
  return (context_->ctx_flags & AVFMTCTX_NOHEADER) != 0 || (context_->iformat->flags & AVFMT_TS_DISCONT) != 0;
}

StatusOr<bool> Demuxer::read(AVPacket& packet) {
  av_packet_unref(&packet);
  jumped_ = false;
  const LogScope log;
  const int result = av_read_frame(context_.get(), &packet);
  if (read_error_ != 0) return system_error(read_error_, "read", file_->name());
  if (result == AVERROR(ENOMEM)) return no_memory_for("a packet", file_->name());
  is_at_end_ = result < 0;
  ended_in_packet_ = ended_in_packet_ || std::ranges::any_of(log.lines(), [](const LogScope::Line& line) {
                       return line.text.find("ended prematurely") != std::string::npos;
                     });
  // Both the end and damage that the demuxer cannot skip end the stream.
  if (result < 0) return false;
  RETURN_IF_ERROR(check_times(packet));
  jumped_ = repair_.apply(packet, *context_->streams[packet.stream_index]);
  RETURN_IF_ERROR(check_times(packet));
  follow_clock(packet);
  extent_.take(packet, *context_->streams[packet.stream_index]);
  return true;
}

std::string Demuxer::shortage() const {
  if (!is_at_end_) return "";
  if (std::string missing = extent_.shortage(*context_, file_->bytes()); !missing.empty()) return missing;
  if (shrank_)
    return fmt::format("The input is short: it had {} bytes, and shrank while it was read", file_->bytes());
  return ended_in_packet_ ? "The input is short: it ends in the middle of an element" : "";
}

bool Demuxer::seek(int64_t position, int64_t pts, int64_t dts, const std::vector<int64_t>& repair_state) {
  const LogScope log;
  const std::string_view format = context_->iformat->name;
  const bool by_bytes = format == "mpegts" || format == "mpeg";
  int result;
  if (by_bytes)
    result = position < 0 ? -1 : av_seek_frame(context_.get(), -1, position, AVSEEK_FLAG_BYTE);
  else
    result = av_seek_frame(context_.get(), video_stream_, std::min(pts, dts), AVSEEK_FLAG_BACKWARD);
  if (result >= 0) repair_.restore(repair_state);
  return result >= 0;
}

}  // namespace weft::media
