// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/first_frames.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace weft::media {

namespace {

constexpr int kExaminedPackets = 1000;  // packets of the video that are searched for a frame

// Seconds of the stream from which a rate is measured.
constexpr double kRateSeconds = 4;
constexpr size_t kLeastTimes = 10, kMostTimes = 600;
constexpr int64_t kRateBytes = 32 << 20;
// Number of last times that are dropped after a partial read: frames between them may follow.
constexpr size_t kReorderedTimes = 16;
// Number of packets that are decoded to count their pictures.
constexpr int64_t kCountedPackets = 40;

// A step of more than this multiple of the median is a gap of missing frames.
constexpr int64_t kGapFactor = 4;

// Returns the mean step between times, without gaps.
double mean_step(const std::vector<int64_t>& times) {
  std::vector<int64_t> steps;
  for (size_t i = 1; i < times.size(); i++) steps.push_back(times[i] - times[i - 1]);
  std::ranges::sort(steps);
  const int64_t median = steps[steps.size() / 2];
  const int64_t longest = std::min(median, std::numeric_limits<int64_t>::max() / kGapFactor) * kGapFactor;
  const auto usual = std::ranges::upper_bound(steps, longest);
  return double(std::accumulate(steps.begin(), usual, int64_t{0})) / double(usual - steps.begin());
}

}  // namespace

StatusOr<FirstFrames> FirstFrames::open(Demuxer& demuxer) {
  FirstFrames frames(demuxer);
  ASSIGN_OR_RETURN(frames.decoder_, VideoDecoder::open(demuxer.video(), {.threads = 1}));
  frames.packets_left_ = kExaminedPackets;
  return frames;
}

// Reads the video's next packet; returns null at the end.
StatusOr<PacketPtr> FirstFrames::read() {
  PacketPtr packet(av_packet_alloc());
  if (!packet)
    return resource_exhausted("There is no memory to read the input ({}).", demuxer_.file().name());
  while (true) {
    if (first_.position < 0) first_.clock = demuxer_.repair_state();
    ASSIGN_OR_RETURN(const bool more, demuxer_.read(*packet));
    if ((has_ended_ = !more)) return PacketPtr();
    if (packet->stream_index == demuxer_.video().index) break;
  }
  if (first_.position < 0) {
    first_.position = packet->pos;
    first_.pts = packet->pts;
    first_.dts = packet->dts;
  }
  if (packet->pts != AV_NOPTS_VALUE) times_.push_back(packet->pts);
  bytes_read_ += packet->size;
  return packet;
}

StatusOr<PacketPtr> FirstFrames::take() {
  if (ahead_.empty()) return has_ended_ ? PacketPtr() : read();
  PacketPtr packet = std::move(ahead_.front());
  ahead_.pop_front();
  return packet;
}

Status FirstFrames::next(AVFrame& frame) {
  while (!pairs_.pop(frame)) {
    const Status picture = next_picture(frame);
    if (!picture.ok()) RETURN_IF_ERROR(pairs_.finish());
    if (!picture.ok()) return pairs_.pop(frame) ? ok_status() : picture;
    if (pictures_ == 1) woven_ = FieldPairs::is_field(frame, demuxer_.video().codecpar->codec_id);
    if (!woven_) return ok_status();
    RETURN_IF_ERROR(pairs_.push(frame));
  }
  return ok_status();
}

Status FirstFrames::next_picture(AVFrame& picture) {
  while (true) {
    const int received = decoder_->receive(picture);
    if (received >= 0) {
      pictures_++;
      return ok_status();
    }
    if (received == AVERROR_EOF || packets_left_ == 0) return out_of_range("No frame follows.");
    packets_left_--;
    if (received != AVERROR(EAGAIN)) continue;
    ASSIGN_OR_RETURN(const PacketPtr packet, take());
    decoder_->send(packet.get());
    packets_ += packet != nullptr && packet->pts != AV_NOPTS_VALUE;
  }
}

// Returns the times sorted and without repetition, because fields of a frame may share a time.
std::vector<int64_t> FirstFrames::times_shown() const {
  std::vector<int64_t> times = times_;
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  if (!has_ended_) times.resize(times.size() - std::min(times.size(), kReorderedTimes));
  return times;
}

StatusOr<std::optional<double>> FirstFrames::packets_per_second() {
  const double unit = av_q2d(demuxer_.video().time_base);
  const auto seconds = [&](const std::vector<int64_t>& times) {
    return times.size() < kLeastTimes ? 0 : double(times.back() - times.front()) * unit;
  };
  std::vector<int64_t> times = times_shown();
  while (seconds(times) < kRateSeconds && times_.size() < kMostTimes && bytes_read_ < kRateBytes) {
    ASSIGN_OR_RETURN(PacketPtr packet, read());
    times = times_shown();
    if (!packet) break;
    ahead_.push_back(std::move(packet));
  }
  if (seconds(times) <= 0) return std::optional<double>();
  return std::optional(1 / (mean_step(times) * unit));
}

double FirstFrames::pictures_per_packet() {
  const FramePtr frame(av_frame_alloc());
  if (!frame) return 1;
  ahead_.resize(std::min(ahead_.size(), size_t(kCountedPackets)));
  packets_left_ = int(2 * kCountedPackets);
  has_ended_ = true;
  while (next_picture(*frame).ok()) continue;
  return packets_ > 0 && 4 * pictures_ < 3 * packets_ ? 0.5 : 1;
}

void FirstFrames::go_back() {
  if (first_.position >= 0) demuxer_.seek(first_.position, first_.pts, first_.dts, first_.clock);
}

}  // namespace weft::media
