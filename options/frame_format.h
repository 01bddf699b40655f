// SPDX-License-Identifier: Apache-2.0
// Converts the format of a stream's frames for the daemon and the workers.
#pragma once

#include "base/video_format.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::options {

// Returns the format. The chroma value must have been validated.
inline VideoFormat to_format(const v1::FrameFormat& format) {
  constexpr Chroma kChroma[] = {Chroma::kGray, Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444};
  return {format.width(), format.height(), kChroma[format.chroma()], format.bit_depth()};
}

}  // namespace weft::options
