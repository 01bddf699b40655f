// SPDX-License-Identifier: Apache-2.0
// Which pictures come out of a deinterlacer and when: for each source frame its neighbours in time, how it is
// treated, and the time of what it becomes. Pure: no device, no samples.
//
//   FieldPlanner planner(rule_of(options));
//   planner.push(frame_0);  planner.push(frame_1);  planner.finish();
//   while (std::optional<PlannedFrame> frame = planner.next()) ...
//
// The rules are those of FFmpeg's yadif and bwdif:
// - A frame gives two pictures at one a field, else one; a frame that passes unchanged gives one.
// - Times count in halves of the source's unit. The first picture has the frame's time, the second lies half way
//   to the next frame. After the last frame the distance of the last two repeats; after a single frame its duration
//   stands in.
// - The field that is first in time is the stream's say, and top where the frame is not flagged interlaced.
// - At the clip's ends the frame itself stands in for the one that is missing. bwdif makes the first picture that is
//   deinterlaced at all, and the second of the last frame, from their own fields alone (not the first if it is of the
//   last frame).
// A discontinuity is an end and a new beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "server/filters/engine.h"
#include "server/graph/time_rule.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::filters {

// What a planner remembers, besides neighbours, of the frames before.
struct PlannerState {
  bool started = false;  // a frame was deinterlaced since the beginning or the last discontinuity
  bool operator==(const PlannerState&) const = default;
};

// A source frame with what becomes of it. Frames are counted from 0 as pushed.
struct PlannedFrame {
  int64_t index = 0;
  int64_t previous = 0;  // the frame itself where there is none
  int64_t next = 0;
  bool context = false;
  bool copies = false;        // passes unchanged
  bool bottom_first = false;  // of the two fields
  bool is_spatial[2] = {false,
                        false};  // the picture is made from its own field alone, if the filter has such a way
  int outputs = 1;               // 1 or 2
  graph::OutputTime output[2];
  PlannerState after;  // the planner's, once this frame is done
};

// What decides which pictures come out of a deinterlacer. As it stands: one for each frame.
struct FieldRule {
  bool per_field = false;     // two pictures for a frame
  bool only_flagged = false;  // frames that are not flagged interlaced pass unchanged
  v1::Parity parity = v1::PARITY_AUTO;
  bool operator==(const FieldRule&) const = default;
};
// `options` (v1::Bwdif or another deinterlacer's) with defaults filled in.
template <class Options>
FieldRule field_rule_of(const Options& options) {
  return {.per_field = options.rate() != v1::OUTPUT_RATE_FRAME,
          .only_flagged = options.frames() == v1::FRAME_SELECTION_FLAGGED,
          .parity = options.parity()};
}

// Deinterlacers look at the next frame where that decides whether a frame passes unchanged, or where frames do not state their durations.
// The state is whether a frame was deinterlaced (PlannerState); flags are FLAG_... of kernels/video/frames.h.
graph::TimeRulePtr by_fields(const FieldRule& rule);

// One thread at a time.
class FieldPlanner {
 public:
  // With `looks_ahead` a frame is planned once the next one is known. Without, it is planned at once, and its duration is taken for
  // the time to the next one.
  explicit FieldPlanner(const FieldRule& rule, bool looks_ahead = true);

  void push(const graph::FrameInfo& frame);
  void finish();  // no more frames come
  // For the frames that are planned from now on.
  void set_state(PlannerState state) { state_ = state; }
  // The next frame in order, once it is known, and the one after it or the end if that is looked at.
  std::optional<PlannedFrame> next();

 private:
  bool passes(const graph::FrameInfo* before, const graph::FrameInfo& frame,
              const graph::FrameInfo* after) const;
  PlannedFrame plan(const graph::FrameInfo* before, const graph::FrameInfo& frame,
                    const graph::FrameInfo* after);

  FieldRule rule_;
  PlannerState state_;
  bool looks_ahead_;
  std::deque<graph::FrameInfo> frames_;  // from the one before the next to be planned on
  bool has_before_ = false;              // frames_.front() is planned already
  bool finished_ = false;
  int64_t next_index_ = 0;
};

}  // namespace weft::filters
