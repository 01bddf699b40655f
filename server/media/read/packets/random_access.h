// SPDX-License-Identifier: Apache-2.0
// Finds packets at which decoding can begin: all frames from the packet's time on are then correct,
// independently of earlier packets.
#pragma once

#include "server/media/ffmpeg.h"

namespace weft::media {

// Returns true for such a packet. The rules are those of the codec; the container's key flag is not
// sufficient:
// - codecs without prediction between frames: any packet;
// - FFV1, VP8, VP9, AV1: key frames, which reset all state;
// - MPEG-1/2: an I picture with a sequence header (matrices). Pictures shown after it refer only to
//   it or to later ones;
// - H.264: an IDR picture, or one with a recovery point that promises exact frames at once; in a
//   byte stream, with its parameter sets;
// - HEVC: any IRAP picture; in a byte stream, with its parameter sets;
// - any other codec: none; decoding begins at the start of the file.
bool is_random_access(const AVPacket& packet, const AVCodecParameters& parameters);

}  // namespace weft::media
