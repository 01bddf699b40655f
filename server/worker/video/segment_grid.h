// SPDX-License-Identifier: Apache-2.0
// Divides a job's source frames into segments, with the begin of decoding for each.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::worker {

struct SegmentGrid {
  int segment_frames = 1;
  // Number of frames before a segment that are decoded for it: the filter's window, but at least
  // one, since the time of the last picture before the segment may depend on it.
  int frames_before = 1;

  int64_t segment_of(int64_t frame) const { return frame / segment_frames; }
  int64_t first_frame(int64_t segment) const { return segment * segment_frames; }
  // Returns the first frame that is decoded for a segment.
  int64_t decode_from(int64_t segment) const {
    return std::max<int64_t>(first_frame(segment) - frames_before, 0);
  }
};

}  // namespace weft::worker
