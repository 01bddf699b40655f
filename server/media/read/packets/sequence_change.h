// SPDX-License-Identifier: Apache-2.0
// Packets at which a decoder of FFmpeg begins anew, as size or aspect of the pictures change, and loses the picture that it still holds.
#pragma once

#include <cstdint>
#include <optional>

#include "server/media/ffmpeg.h"

namespace weft::media {

class SequenceChange {
 public:
  // True: what the decoder holds has to be taken out before this packet. In order; of the video.
  bool comes_with(const AVPacket& packet, AVCodecID codec);

 private:
  std::optional<uint32_t> header_;
};

}  // namespace weft::media
