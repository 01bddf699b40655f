// SPDX-License-Identifier: Apache-2.0
// Plans the pictures of a deinterlacer and their times: for each source frame its temporal
// neighbours, its treatment, and the times of its results. Pure: no device, no samples.
//
//   FieldPlanner planner(field_rule_of(options));
//   planner.push(frame_0);  planner.push(frame_1);  planner.finish();
//   while (std::optional<PlannedFrame> frame = planner.next()) ...
//
// The rules are those of FFmpeg's yadif and bwdif:
// - A frame results in two pictures at field rate, else in one; an unchanged frame results in one.
// - Times count in halves of the source's unit. The first picture has the frame's time, the second
//   is half way to the next frame. After the last frame the distance of the last two frames
//   repeats; after a single frame its duration is used.
// - The stream declares the first field; it is the top field if the frame is not flagged as
//   interlaced.
// - At the ends of the clip the frame itself replaces a missing neighbour. bwdif computes the first
//   deinterlaced picture and the second picture of the last frame from their own fields alone; the
//   first picture is an exception if it belongs to the last frame.
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

// A planner's state from earlier frames, besides the neighbours.
struct PlannerState {
  // a frame has been deinterlaced since the beginning or the last discontinuity
  bool started = false;
  bool operator==(const PlannerState&) const = default;
};

// A source frame with its treatment. Frames are numbered from 0 in the order of push().
struct PlannedFrame {
  int64_t index = 0;
  int64_t previous = 0;  // number of the previous frame; the frame itself if there is none
  int64_t next = 0;
  bool context = false;
  bool copies = false;        // the frame is output unchanged
  bool bottom_first = false;  // the bottom field is the first of the two
  // true: the picture is computed from its own field alone, if the filter has such a method
  bool is_spatial[2] = {false, false};
  int outputs = 1;  // 1 or 2
  graph::OutputTime output[2];
  PlannerState after;  // state of the planner after this frame
};

// Determines the pictures of a deinterlacer. The default is one picture for each frame.
struct FieldRule {
  bool per_field = false;     // two pictures for each frame
  bool only_flagged = false;  // frames that are not flagged as interlaced are output unchanged
  v1::Parity parity = v1::PARITY_AUTO;
  bool operator==(const FieldRule&) const = default;
};
// Returns the rule for `options` (v1::Bwdif or another deinterlacer's) with defaults filled in.
template <class Options>
FieldRule field_rule_of(const Options& options) {
  return {.per_field = options.rate() != v1::OUTPUT_RATE_FRAME,
          .only_flagged = options.frames() == v1::FRAME_SELECTION_FLAGGED,
          .parity = options.parity()};
}

// Returns the time rule of a deinterlacer. The rule reads the next frame if that frame determines
// whether a frame is unchanged, or if frames have no durations. The state is that of PlannerState;
// flags are FLAG_... of kernels/video/frames.h.
graph::TimeRulePtr by_fields(const FieldRule& rule);

// Plans the frames of a clip in order. Not thread-safe.
class FieldPlanner {
 public:
  // With `lookahead` a frame is planned after the next one has been pushed. Without it a frame is
  // planned immediately, and its duration replaces the time to the next frame.
  explicit FieldPlanner(const FieldRule& rule, bool lookahead = true);

  void push(const graph::FrameInfo& frame);
  void finish();  // declares the end of the frames
  // Sets the state for the frames that are planned after this call.
  void set_state(PlannerState state) { state_ = state; }
  // Returns the next frame in order, or nothing if that frame is not known yet. With `lookahead`
  // the frame after it, or the end, has to be known too.
  std::optional<PlannedFrame> next();

 private:
  bool passes(const graph::FrameInfo* before, const graph::FrameInfo& frame,
              const graph::FrameInfo* after) const;
  PlannedFrame plan(const graph::FrameInfo* before, const graph::FrameInfo& frame,
                    const graph::FrameInfo* after);

  FieldRule rule_;
  PlannerState state_;
  bool lookahead_;
  std::deque<graph::FrameInfo> frames_;  // frames from the predecessor of the next planned frame on
  bool has_before_ = false;              // frames_.front() has been planned
  bool finished_ = false;
  int64_t next_index_ = 0;
};

}  // namespace weft::filters
