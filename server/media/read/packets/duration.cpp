// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/duration.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::media {
namespace {

// Seconds of a stream from which its rate is measured, and the least time for a valid measurement.
constexpr double kMeasuredSeconds = 10, kLeastSeconds = 1;
constexpr int64_t kMeasuredBytes = 32 << 20;
constexpr double kPlausibleFactor = 10;

// Number of points at which a file's times are sampled, least bytes between two points, and bytes
// read at each point.
constexpr int64_t kSamplePoints = 24, kLeastStretchBytes = 64 << 10, kScanBytes = 2 << 20;
// A step of the time between two points is a jump if it falls by more than the reordering of
// frames, or rises by more than kGapSeconds and more than kUnusualFactor times the usual step.
constexpr double kReorderSeconds = 1, kGapSeconds = 10, kUnusualFactor = 3;

// Returns the bytes per second of the following packets, by the video's times, or 0 if unknown.
StatusOr<double> measure_bytes_per_second(Demuxer& demuxer, AVPacket& packet) {
  const double unit = av_q2d(demuxer.video().time_base);
  int64_t first_position = -1, first_time = 0;
  double rate = 0, seconds = 0;
  for (int64_t read = 0; read < kMeasuredBytes && seconds < kMeasuredSeconds; read += packet.size) {
    ASSIGN_OR_RETURN(const bool more, demuxer.read(packet));
    if (!more) break;
    if (packet.stream_index != demuxer.video().index || packet.pos < 0 || packet.dts == AV_NOPTS_VALUE)
      continue;
    if (first_position < 0) {
      first_position = packet.pos;
      first_time = packet.dts;
    }
    seconds = double(packet.dts - first_time) * unit;
    if (seconds >= kLeastSeconds) rate = double(packet.pos - first_position) / seconds;
  }
  return rate;
}

struct PacketPosition {
  int64_t position = 0;  // offset in the file
  double seconds = 0;    // the video's time at that offset, as stored
};

// Finds the first packet of the video at or after `position`.
std::optional<PacketPosition> find_packet(Demuxer& demuxer, AVPacket& packet, int64_t position) {
  AVFormatContext* const context = &demuxer.context();
  if (av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE) < 0) return std::nullopt;
  for (int64_t read = 0; read < kScanBytes; read += packet.size) {
    av_packet_unref(&packet);
    if (av_read_frame(context, &packet) < 0) return std::nullopt;
    const int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (packet.stream_index == demuxer.video().index && packet.pos >= 0 && time != AV_NOPTS_VALUE)
      return PacketPosition{packet.pos, double(time) * av_q2d(demuxer.video().time_base)};
  }
  return std::nullopt;
}

std::vector<PacketPosition> find_packets(Demuxer& demuxer, AVPacket& packet) {
  const LogScope log;
  const int64_t bytes = demuxer.file().bytes();
  const int64_t stretches = std::clamp<int64_t>(bytes / kLeastStretchBytes, 1, kSamplePoints);
  std::vector<PacketPosition> packets;
  for (int64_t stretch = 0; stretch < stretches; stretch++) {
    const auto found = find_packet(demuxer, packet, bytes / stretches * stretch);
    if (found && (packets.empty() || found->position > packets.back().position)) packets.push_back(*found);
  }
  return packets;
}

// Sums of the stretches without a jump of the clock.
struct Stretches {
  double seconds = 0;
  double bytes = 0;
  int whole = 0;
  int cut = 0;  // number of stretches with a jump
  bool falls = false;
};

Stretches measure(const std::vector<PacketPosition>& packets) {
  std::vector<double> steps;
  for (size_t i = 1; i < packets.size(); i++) steps.push_back(packets[i].seconds - packets[i - 1].seconds);
  std::vector<double> sorted = steps;
  std::ranges::sort(sorted);
  const double usual = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  Stretches stretches;
  for (size_t i = 0; i < steps.size(); i++) {
    const bool falls = steps[i] < -kReorderSeconds;
    if (falls || steps[i] > std::max(kGapSeconds, kUnusualFactor * usual)) {
      stretches.cut++;
      stretches.falls = stretches.falls || falls;
      continue;
    }
    stretches.whole++;
    stretches.seconds += steps[i];
    stretches.bytes += double(packets[i + 1].position - packets[i].position);
  }
  return stretches;
}

}  // namespace

StatusOr<Duration> believable_duration(Demuxer& demuxer, AVPacket& packet, Duration given) {
  const std::string_view format = demuxer.context().iformat->name;
  const bool may_jump = (demuxer.context().iformat->flags & AVFMT_TS_DISCONT) != 0;
  if (!may_jump || given <= Duration(0)) return given;
  ASSIGN_OR_RETURN(const double rate, measure_bytes_per_second(demuxer, packet));
  const auto bytes = double(demuxer.file().bytes());
  const double given_seconds = std::chrono::duration<double>(given).count();
  double seconds = rate > 0 ? bytes / rate : given_seconds;
  bool is_believed = given_seconds <= kPlausibleFactor * seconds;
  if (format == "mpegts" || format == "mpeg") {
    const Stretches stretches = measure(find_packets(demuxer, packet));
    is_believed = is_believed && !stretches.falls;
    // If many stretches have jumps, others may contain jumps that cancel out, and the rate of the
    // first seconds is more accurate.
    if (stretches.whole >= 3 * stretches.cut && stretches.seconds > 0)
      seconds = stretches.seconds / stretches.bytes * bytes;
  }
  if (is_believed) return given;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::min(seconds, double(kLatestTime.count()))));
}

}  // namespace weft::media
