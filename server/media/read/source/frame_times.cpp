// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/frame_times.h"

#include <algorithm>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/packets/random_access.h"
#include "server/media/read/source/seek_history.h"

namespace weft::media {

namespace {

// Limit on the packets between a frame's packet and the packet of a frame shown earlier; H.264 and
// HEVC allow 16.
constexpr int64_t kMostReordered = 64;

}  // namespace

StatusOr<std::optional<FrameTimes>> read_frame_times(const InputFilePtr& file, const SourceOptions& options,
                                                     const VideoInfo& video, const FrameLimit& limit) {
  if (video.woven) return std::nullopt;  // only decoding shows the packets that form a frame
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file, options.programme));
  const PacketPtr packet(av_packet_alloc());
  if (!packet) return resource_exhausted("There is no memory to read the input ({}).", file->name());
  FrameTimes times;
  int64_t behind = 0;  // packets since the first one beyond the limit
  while (behind < kMostReordered) {
    if (options.alive) RETURN_IF_ERROR(options.alive());
    ASSIGN_OR_RETURN(const bool more, demuxer->read(*packet));
    if ((times.is_whole = !more)) break;
    if (packet->stream_index != video.stream) continue;
    constexpr int kOddFlags = AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD;
    if (packet->pts == AV_NOPTS_VALUE || demuxer->jumped() || (packet->flags & kOddFlags) != 0)
      return std::nullopt;
    const bool is_anchor = is_random_access(*packet, *demuxer->video().codecpar);
    // Frames shown before the first anchor refer to frames that are missing.
    if (times.pts.empty() ? !is_anchor : packet->pts < times.pts.front()) return std::nullopt;
    times.pts.push_back(packet->pts);
    if (behind > 0 || int64_t(times.pts.size()) > limit.frames || packet->pts > limit.pts) behind++;
    if (is_anchor) times.anchors.push_back(anchor_at(*packet, *demuxer));
  }
  std::sort(times.pts.begin(), times.pts.end());
  if (std::adjacent_find(times.pts.begin(), times.pts.end()) != times.pts.end()) return std::nullopt;
  if (times.is_whole) return times;
  const auto last = std::ranges::lower_bound(times.pts, limit.pts);
  const int64_t wanted = std::min<int64_t>(limit.frames, last - times.pts.begin() + 1);
  times.pts.resize(size_t(wanted));
  return times;
}

}  // namespace weft::media
