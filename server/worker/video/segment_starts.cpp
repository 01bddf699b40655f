// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_starts.h"

#include <algorithm>
#include <utility>

namespace weft::worker {
namespace {

// Frames that are pushed after a boundary before its state is read: a clock that is derived from
// others knows the units of a frame only some frames later.
constexpr int64_t kFramesAhead = 256;

}  // namespace

StatusOr<std::vector<ComputedStart>> segment_starts(const ClockPlan& plan, const media::FrameTimes& times,
                                                    int64_t first, int64_t frames, const SegmentGrid& grid) {
  ASSIGN_OR_RETURN(graph::Timeline timeline, graph::Timeline::make(plan.clocks, ""));
  std::vector<ComputedStart> starts;
  int64_t pushed = 0;
  const auto push_up_to = [&](int64_t end) {
    for (; pushed < std::min(end, frames); pushed++) {
      const auto frame = size_t(first + pushed);
      graph::FrameInfo info = plan.flags;
      info.pts = times.pts[frame];
      if (frame + 1 < times.pts.size()) info.duration = times.pts[frame + 1] - info.pts;
      timeline.push(info);
    }
    if (pushed == frames && !timeline.finished()) timeline.finish();
  };
  for (int64_t segment = 0; grid.first_frame(segment) < frames; segment++) {
    const int64_t boundary = grid.first_frame(segment), decoded_from = grid.decode_from(segment);
    push_up_to(boundary + kFramesAhead);
    ComputedStart& start = starts.emplace_back();
    if (segment == 0) continue;
    start.filter_state = timeline.state_after(decoded_from);
    start.first_output = graph::Timeline::units_in(timeline.state_after(boundary - 1), plan.output_clock);
    timeline.forget_states(decoded_from);
    for (int clock = 0; clock < int(plan.clocks.size()); clock++) {
      const auto units = [&](int of) { return graph::Timeline::units_in(start.filter_state, of); };
      timeline.forget(clock, units(clock) - kFramesAhead);
      if (const int parent = plan.clocks[size_t(clock)].parent; parent >= 0)
        timeline.forget_plans(clock, units(parent) - kFramesAhead);
    }
  }
  return starts;
}

void write_starts(const std::vector<ComputedStart>& starts, const media::FrameTimes& times,
                  internal::v1::SegmentPlan& plan) {
  for (const ComputedStart& start : starts) {
    auto& written = *plan.add_starts();
    written.set_first_output(start.first_output);
    written.set_filter_state(start.filter_state);
  }
  int64_t before = 0;
  for (const int64_t pts : times.pts) plan.add_pts_steps(pts - std::exchange(before, pts));
  media::SourceCheckpoint anchors;
  anchors.anchors = times.anchors;
  plan.set_anchors(media::serialise(anchors));
  plan.set_times_are_whole(times.is_whole);
}

StatusOr<PlannedStarts> read_starts(const internal::v1::SegmentPlan& plan) {
  PlannedStarts planned;
  for (const auto& start : plan.starts())
    planned.starts.push_back({start.first_output(), start.filter_state()});
  int64_t pts = 0;
  for (const int64_t step : plan.pts_steps()) planned.times.pts.push_back(pts += step);
  ASSIGN_OR_RETURN(media::SourceCheckpoint anchors, media::parse_checkpoint(plan.anchors()));
  planned.times.anchors = std::move(anchors.anchors);
  planned.times.is_whole = plan.times_are_whole();
  return planned;
}

}  // namespace weft::worker
