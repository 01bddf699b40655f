// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/frame_bound.h"

#include <algorithm>
#include <utility>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {
namespace {

// Counts the packets of the video, up to `most`. A packet holds one frame, or one field.
StatusOr<int64_t> count_packets(Demuxer& demuxer, int64_t most) {
  PacketPtr packet(av_packet_alloc());
  if (!packet) return resource_exhausted("There is no memory to read the input ({}).", demuxer.file().name());
  int64_t packets = 0;
  while (packets < most) {
    ASSIGN_OR_RETURN(const bool more, demuxer.read(*packet));
    if (!more) break;
    if (packet->stream_index == demuxer.video().index && packet->size > 0) packets++;
    av_packet_unref(packet.get());
  }
  return packets;
}

}  // namespace

StatusOr<int64_t> believable_frames(const InputFilePtr& file, int programme, int64_t claimed) {
  const int64_t bytes = file->bytes();
  const int64_t most = std::min(claimed, most_frames(bytes));
  if (most <= bytes / kPlausibleFrameBytes || bytes > kCountedFileBytes) return most;
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file, programme));
  return count_packets(*demuxer, most);
}

}  // namespace weft::media
