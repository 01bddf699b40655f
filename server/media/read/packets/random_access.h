// SPDX-License-Identifier: Apache-2.0
// Packets at which decoding can begin such that every frame from this one's time on is right, whatever came before.
#pragma once

#include "server/media/ffmpeg.h"

namespace weft::media {

// By the codec's own rules, not by the container's key flag alone:
// - codecs without prediction between frames: any packet;
// - FFV1, VP8, VP9, AV1: key frames reset all state;
// - MPEG-1/2: an I picture with a sequence header (matrices). Pictures shown after it refer to it or to later ones only;
// - H.264: an IDR picture, or one with a recovery point that promises exact frames at once; HEVC: any IRAP picture; in
//   byte streams both with their parameter sets;
// - any other codec: none, decoding begins at the start of the file.
bool is_random_access(const AVPacket& packet, const AVCodecParameters& parameters);

}  // namespace weft::media
