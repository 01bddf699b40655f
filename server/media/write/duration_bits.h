// SPDX-License-Identifier: Apache-2.0
// Gives frames of long duration further bits, for encoders that count frames and not time.
//
// A frame that is shown U times as long as the shortest one of the video gets 1 + (U - 1) * weight
// times the bits, with the mean U of the kBlock frames around it. x265 expects half the bits at 6
// quantisers more, so that this is an offset of -6 log2(factor) of the quantiser. It is the same as
// a zone of x265 with that factor of the bit rate (zones, b=factor).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "base/status.h"
#include "server/media/ffmpeg.h"

namespace weft::media {

class DurationBits {
 public:
  // Number of consecutive frames with the same factor, counted from the start of the segment.
  static constexpr int kBlock = 8;

  // `least_duration` is the shortest duration of a frame in the video, at least 1.
  DurationBits(double weight, int64_t least_duration) : weight_(weight), least_duration_(least_duration) {}

  // Returns the factor of frames with a mean of `mean_duration`.
  double factor(double mean_duration) const;

  // Sends frames to an encoder.
  using Send = std::function<Status(const AVFrame& frame)>;
  // Adds the next frame, and sends the frames of its block if it is the last one. Returns an error
  // of `send`, or RESOURCE_EXHAUSTED without memory.
  Status add(FramePtr frame, int64_t duration, const Send& send);
  // Sends the frames of an incomplete block.
  Status flush(const Send& send);

 private:
  const double weight_;
  const int64_t least_duration_;
  std::deque<std::pair<FramePtr, int64_t>> block_;  // frames of the current block, with durations
};

}  // namespace weft::media
