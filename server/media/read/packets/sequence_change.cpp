// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/sequence_change.h"

#include <utility>

namespace weft::media {

namespace {

// Returns width, height and aspect ratio of a sequence header (ISO/IEC 13818-2, 6.2.2.1), or
// nullopt if the packet's picture has no such header.
std::optional<uint32_t> find_header(const AVPacket& packet) {
  for (int i = 0; i + 8 <= packet.size; i++) {
    const uint8_t* const at = packet.data + i;
    if (at[0] != 0 || at[1] != 0 || at[2] != 1) continue;
    if (at[3] == 0xB3)
      return uint32_t{at[4]} << 20 | uint32_t{at[5]} << 12 | uint32_t{at[6]} << 4 | at[7] >> 4;
    if (at[3] == 0x00) break;
  }
  return std::nullopt;
}

}  // namespace

bool SequenceChange::comes_with(const AVPacket& packet, AVCodecID codec) {
  if (codec != AV_CODEC_ID_MPEG2VIDEO && codec != AV_CODEC_ID_MPEG1VIDEO) return false;
  const std::optional<uint32_t> header = find_header(packet);
  if (!header) return false;
  const std::optional<uint32_t> before = std::exchange(header_, header);
  return before && before != header;
}

}  // namespace weft::media
