// SPDX-License-Identifier: Apache-2.0
// Chroma that few encoders take, as the next layout that holds all of it: 4:1:1 as 4:2:2, 4:1:0 as 4:2:0, 4:4:0 as 4:4:4.
#pragma once

#include <cstdint>
#include <vector>

#include "base/video_format.h"
#include "server/media/frame_hash.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// With that layout; the format itself where there is none.
VideoFormat widened(const VideoFormat& format);

// Of a sample of the wider plane along one axis: the two samples of the narrow one that it lies at or between.
struct Tap {
  int near = 0;
  int far = 0;
  int far_quarters = 0;  // what the far one weighs
};

// Interpolates linearly by where chroma lies (Colour::chroma_location; unknown: at every fourth column, between rows). Luma
// stays. Used by one thread at a time.
class Widener {
 public:
  // Of `video`'s pictures. Rows of interlaced ones are taken from their own field.
  explicit Widener(const OutputVideo& video);
  // Valid until the next call.
  PictureView widen(const PictureView& picture);

 private:
  const VideoFormat to_;
  std::vector<Tap> columns_, rows_;  // by the wider chroma plane's column and row
  std::vector<uint8_t> samples_;
};

}  // namespace weft::media
