// SPDX-License-Identifier: Apache-2.0
// Going to a frame without decoding all before it. In a file without damage each packet is a frame, shown at its time: the frame's
// number is its time's place among the times of all packets. Decoding begins at the second newest anchor before the frame, as
// resume() does; the frames just before it must come out at the times that were counted, one by one.
#include <algorithm>

#include "server/media/read/packets/random_access.h"
#include "server/media/read/source/ffmpeg_source.h"

namespace weft::media {

namespace {

// Packets between a frame's and that of one shown before it; of H.264 and HEVC at most 16.
constexpr int64_t kMostReordered = 64;

}  // namespace

StatusOr<std::optional<FrameTimes>> FfmpegSource::frame_times(const FrameLimit& limit) {
  if (facts_.video.woven) return std::nullopt;  // which packets are a frame only their pictures tell
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file_, options_.programme));
  const PacketPtr packet(av_packet_alloc());
  if (!packet) return resource_exhausted("There is no memory to read the input ({}).", file_->name());
  FrameTimes times;
  int64_t behind = 0;  // packets from the first on that is no longer wanted
  while (behind < kMostReordered) {
    if (options_.alive) RETURN_IF_ERROR(options_.alive());
    ASSIGN_OR_RETURN(const bool more, demuxer->read(*packet));
    if ((times.is_whole = !more)) break;
    if (packet->stream_index != facts_.video.stream) continue;
    constexpr int kOddFlags = AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD;
    if (packet->pts == AV_NOPTS_VALUE || demuxer->jumped() || (packet->flags & kOddFlags) != 0)
      return std::nullopt;
    const bool is_anchor = is_random_access(*packet, *demuxer->video().codecpar);
    // What is shown before the first anchor refers to what is not there.
    if (times.pts.empty() ? !is_anchor : packet->pts < times.pts.front()) return std::nullopt;
    times.pts.push_back(packet->pts);
    if (behind > 0 || int64_t(times.pts.size()) > limit.frames || packet->pts > limit.pts) behind++;
    if (is_anchor)
      times.anchors.push_back({.position = packet->pos,
                               .pts = packet->pts,
                               .dts = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts,
                               .clock = demuxer->repair_state()});
  }
  std::sort(times.pts.begin(), times.pts.end());
  if (std::adjacent_find(times.pts.begin(), times.pts.end()) != times.pts.end()) return std::nullopt;
  if (times.is_whole) return times;
  const auto last = std::ranges::lower_bound(times.pts, limit.pts);
  const int64_t wanted = std::min<int64_t>(limit.frames, last - times.pts.begin() + 1);
  times.pts.resize(size_t(wanted));
  return times;
}

StatusOr<bool> FfmpegSource::skip_to(int64_t index, const FrameTimes& times) {
  if (next_index_ > 0)
    return internal_error("A source skips before its first frame (frames given: {}).", next_index_);
  if (index < int64_t(kSeenFrames) || index >= int64_t(times.pts.size())) return false;
  const int64_t first = times.pts[size_t(index) - kSeenFrames];
  const auto newer = std::find_if(times.anchors.begin(), times.anchors.end(),
                                  [&](const Anchor& anchor) { return anchor.pts > first; });
  // The first anchor is the start of the file.
  if (newer - times.anchors.begin() <= ptrdiff_t(kKeptAnchors)) return false;
  settling_ = true;
  const auto found = go_on_to(index, times, *(newer - ptrdiff_t(kKeptAnchors)));
  settling_ = false;
  RETURN_IF_ERROR(found.status());
  if (!*found || damage_seen_) {
    RETURN_IF_ERROR(start(Mode::kFast, 0));
    return false;
  }
  changes_.forget();
  next_index_ = index;
  last_pts_ = times.pts[size_t(index) - 1];
  repaired_timestamps_ = 0;
  return true;
}

StatusOr<bool> FfmpegSource::go_on_to(int64_t index, const FrameTimes& times, const Anchor& anchor) {
  if (!demuxer_->seek(anchor.position, anchor.pts, anchor.dts, anchor.clock)) return false;
  waits_for_random_access_ = true;
  int64_t expected = index - int64_t(kSeenFrames);
  bool is_on_the_way = false;  // the frames that are checked have begun
  while (expected < index) {
    const auto frame = next();
    frames_skipped_++;
    if (frame.status().code() == StatusCode::kResourceExhausted) return frame.status();
    if (!frame.ok() || !frame->has_value()) return false;
    const int64_t pts = recent_.back().pts, wanted = times.pts[size_t(expected)];
    if (pts == wanted) {
      is_on_the_way = true;
      expected++;
    } else if (is_on_the_way || pts > wanted) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::media
