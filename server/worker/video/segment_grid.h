// SPDX-License-Identifier: Apache-2.0
// How a job's source frames are cut into segments, and where decoding begins for each.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::worker {

struct SegmentGrid {
  int segment_frames = 1;
  // Frames before a segment that are decoded for it: the filter's window, and at least one, which the time of
  // the source's last picture may depend on.
  int frames_before = 1;

  int64_t segment_of(int64_t frame) const { return frame / segment_frames; }
  int64_t first_frame(int64_t segment) const { return segment * segment_frames; }
  // The first frame that is decoded for a segment.
  int64_t decode_from(int64_t segment) const {
    return std::max<int64_t>(first_frame(segment) - frames_before, 0);
  }
};

}  // namespace weft::worker
