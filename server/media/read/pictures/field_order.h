// SPDX-License-Identifier: Apache-2.0
// Which field of a frame comes first. The frame says it, or the container where frames of the codec are silent. The facts of a file and
// every frame are asked here alone, so that a summary, a job and a preview agree.
#pragma once

#include "server/media/ffmpeg.h"

namespace weft::media {

struct FrameFields {
  bool interlaced = false;
  bool top_first = false;  // of an interlaced frame, or of one that repeats a field
};

// True: a frame of the codec that says "progressive" means it (MPEG-2, H.264). False: it may as well be silent (HuffYUV, raw frames),
// and so are woven frames of HEVC, as FFmpeg does not read what they say.
bool frames_tell_fields(AVCodecID codec);

// `parameters`: the container's, of the frame's stream.
FrameFields fields_of(const AVFrame& frame, const AVCodecParameters& parameters);
ScanOrder order_of(const AVFrame& frame, const AVCodecParameters& parameters);

}  // namespace weft::media
