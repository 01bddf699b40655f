// SPDX-License-Identifier: Apache-2.0
// Converts chroma layouts that few encoders accept to the next layout that holds all their samples:
// 4:1:1 to 4:2:2, 4:1:0 to 4:2:0, 4:4:0 to 4:4:4.
#pragma once

#include <cstdint>
#include <vector>

#include "base/video_format.h"
#include "server/media/frame_hash.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Returns the wider layout, or the format itself if it is not converted.
VideoFormat widened(const VideoFormat& format);

// Gives the source of a sample of the wider plane along one axis: two adjacent samples of the
// narrow plane.
struct Tap {
  int near = 0;
  int far = 0;
  int far_quarters = 0;  // weight of the far sample, in quarters
};

// Interpolates chroma linearly, according to its siting (Colour::chroma_location). Unknown siting
// is that of MPEG-2: at columns of luma samples, between rows. Siting at the bottom rows is taken
// as between rows. Luma is unchanged. Not thread-safe.
class Widener {
 public:
  // Converts frames of `video`. Rows of interlaced frames are interpolated within their field.
  explicit Widener(const OutputVideo& video);
  // Returns the converted picture, which is valid until the next call.
  PictureView widen(const PictureView& picture);

 private:
  const VideoFormat to_;
  std::vector<Tap> columns_, rows_;  // by column and row of the wider chroma plane
  std::vector<uint8_t> samples_;
};

}  // namespace weft::media
