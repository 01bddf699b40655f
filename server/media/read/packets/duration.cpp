// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/duration.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::media {
namespace {

// What a stream's rate is measured by, and how much less a second of the whole file may hold.
constexpr double kMeasuredSeconds = 10, kLeastSeconds = 1;
constexpr int64_t kMeasuredBytes = 32 << 20;
constexpr double kPlausibleFactor = 10;

// A file's times are looked up at the begins of so many pieces, which are no smaller than this; and how far each look goes.
constexpr int64_t kPieces = 24, kLeastPieceBytes = 64 << 10, kLookedAtBytes = 2 << 20;
// Between two places the time never falls by more than frames are reordered, and where it rises by more than this, and than
// so many times what is usual, it jumps.
constexpr double kReorderSeconds = 1, kGapSeconds = 10, kUnusualFactor = 3;

// Of the packets that follow, by the video's times; 0: unknown.
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
  int64_t position = 0;  // byte in the file
  double seconds = 0;    // the video's time there, as it is stored
};

// The first at or after the position.
std::optional<PacketPosition> find_place(Demuxer& demuxer, AVPacket& packet, int64_t position) {
  AVFormatContext* const context = &demuxer.context();
  if (av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE) < 0) return std::nullopt;
  for (int64_t read = 0; read < kLookedAtBytes; read += packet.size) {
    av_packet_unref(&packet);
    if (av_read_frame(context, &packet) < 0) return std::nullopt;
    const int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (packet.stream_index == demuxer.video().index && packet.pos >= 0 && time != AV_NOPTS_VALUE)
      return PacketPosition{packet.pos, double(time) * av_q2d(demuxer.video().time_base)};
  }
  return std::nullopt;
}

std::vector<PacketPosition> find_places(Demuxer& demuxer, AVPacket& packet) {
  const LogScope log;
  const int64_t bytes = demuxer.file().bytes();
  const int64_t pieces = std::clamp<int64_t>(bytes / kLeastPieceBytes, 1, kPieces);
  std::vector<PacketPosition> places;
  for (int64_t piece = 0; piece < pieces; piece++) {
    const auto place = find_place(demuxer, packet, bytes / pieces * piece);
    if (place && (places.empty() || place->position > places.back().position)) places.push_back(*place);
  }
  return places;
}

// What lies between places across which the clock runs on.
struct Pieces {
  double seconds = 0;
  double bytes = 0;
  int whole = 0;
  int cut = 0;  // across which it jumps
  bool falls = false;
};

Pieces measure(const std::vector<PacketPosition>& places) {
  std::vector<double> steps;
  for (size_t i = 1; i < places.size(); i++) steps.push_back(places[i].seconds - places[i - 1].seconds);
  std::vector<double> sorted = steps;
  std::ranges::sort(sorted);
  const double usual = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  Pieces pieces;
  for (size_t i = 0; i < steps.size(); i++) {
    const bool falls = steps[i] < -kReorderSeconds;
    if (falls || steps[i] > std::max(kGapSeconds, kUnusualFactor * usual)) {
      pieces.cut++;
      pieces.falls = pieces.falls || falls;
      continue;
    }
    pieces.whole++;
    pieces.seconds += steps[i];
    pieces.bytes += double(places[i + 1].position - places[i].position);
  }
  return pieces;
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
    const Pieces pieces = measure(find_places(demuxer, packet));
    is_believed = is_believed && !pieces.falls;
    // Where cuts are many, some are in pieces that look whole, and the rate of the first seconds tells more.
    if (pieces.whole >= 3 * pieces.cut && pieces.seconds > 0) seconds = pieces.seconds / pieces.bytes * bytes;
  }
  if (is_believed) return given;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::min(seconds, double(kLatestTime.count()))));
}

}  // namespace weft::media
