// SPDX-License-Identifier: Apache-2.0
// Detects packets at which FFmpeg's decoder restarts because size or aspect ratio change. The
// decoder then loses a picture that it has not returned yet.
#pragma once

#include <cstdint>
#include <optional>

#include "server/media/ffmpeg.h"

namespace weft::media {

class SequenceChange {
 public:
  // Returns true if the decoder must be drained before this packet. Must be called in order, with
  // the packets of the video.
  bool comes_with(const AVPacket& packet, AVCodecID codec);

 private:
  std::optional<uint32_t> header_;
};

}  // namespace weft::media
