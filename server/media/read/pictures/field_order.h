// SPDX-License-Identifier: Apache-2.0
// Determines the first field of a frame. The frame's own flag is used, or the container's
// declaration for codecs without flags in their frames. All code uses these functions, so that a
// summary, a job and a preview agree.
#pragma once

#include "server/media/ffmpeg.h"

namespace weft::media {

struct FrameFields {
  bool interlaced = false;
  bool top_first = false;  // valid for an interlaced frame and for a frame that repeats a field
};

// Returns true if frames of the codec that are marked "progressive" are progressive (MPEG-2,
// H.264). Returns false if the codec may omit the mark (HuffYUV, raw frames), and for HEVC, because
// FFmpeg does not report its woven frames.
bool frames_flag_fields(AVCodecID codec);

// `parameters` are those of the frame's stream in the container.
FrameFields fields_of(const AVFrame& frame, const AVCodecParameters& parameters);
ScanOrder order_of(const AVFrame& frame, const AVCodecParameters& parameters);

}  // namespace weft::media
