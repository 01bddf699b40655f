// SPDX-License-Identifier: Apache-2.0
// Computes the start of every segment from the times in the input's packets, without decoding.
//
// The counts of a network's clocks depend on the times and flags of the frames. Packets have the
// times; the flags are assumed to be those of one frame. SegmentTable compares each start with the
// end of the segment before, so a wrong assumption costs time and changes no result.
#pragma once

#include <vector>

#include "base/status.h"
#include "server/graph/timeline.h"
#include "server/media/read/source/video_part.h"
#include "server/worker/video/segment_grid.h"
#include "server/worker/video/segment_table.h"

namespace weft::worker {

// The clocks of a network (graph::Plan), and the flags of its frames. The times of `flags` are
// ignored.
struct ClockPlan {
  std::vector<graph::ClockRule> clocks{};
  int output_clock = 0;
  graph::FrameInfo flags{};
};

// Returns the starts of all segments of a part with these frame times. `frames` is the number of
// frames in the part, which begins with frame `first` of `times`. Errors are those of Timeline.
StatusOr<std::vector<ComputedStart>> segment_starts(const ClockPlan& plan, const media::FrameTimes& times,
                                                    int64_t first, int64_t frames, const SegmentGrid& grid);

// Writes starts and times to a plan, and reads them. read_starts() returns DATA_LOSS if the plan is
// damaged.
void write_starts(const std::vector<ComputedStart>& starts, const media::FrameTimes& times,
                  internal::v1::SegmentPlan& plan);
struct PlannedStarts {
  std::vector<ComputedStart> starts{};
  media::FrameTimes times{};
};
StatusOr<PlannedStarts> read_starts(const internal::v1::SegmentPlan& plan);

}  // namespace weft::worker
