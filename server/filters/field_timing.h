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

#include "weft/v1/deinterlace.pb.h"

namespace weft::filters {

// What the source says of a frame.
struct FrameInfo {
  int64_t pts = 0;          // in the source's unit; rising; of at most 62 bits, and 61 where it is halved
  int64_t duration = 1;     // in the same unit
  bool interlaced = false;  // flagged so
  bool top_field_first = false;  // of an interlaced frame
  bool repeats_field = false;    // soft telecine: a field of it is to be shown again
  bool discontinuity = false;    // has nothing to do with the frame before
  bool context = false;          // only a neighbour of the frames that are wanted: nothing comes out of it
  std::shared_ptr<const void> side =
      {};  // data that travels with it, such as captions; nothing here looks at it
};

// In the source's unit divided as whoever gives it says; FieldPlanner: in halves.
struct OutputTime {
  int64_t pts = 0;
  int64_t duration = 0;
};

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
  OutputTime output[2];
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

// One thread at a time.
class FieldPlanner {
 public:
  // With `looks_ahead` a frame is planned once the next one is known. Without, it is planned at once, and its duration is taken for
  // the time to the next one.
  explicit FieldPlanner(const FieldRule& rule, bool looks_ahead = true);

  void push(const FrameInfo& frame);
  void finish();  // no more frames come
  // For the frames that are planned from now on.
  void set_state(PlannerState state) { state_ = state; }
  // The next frame in order, once it is known, and the one after it or the end if that is looked at.
  std::optional<PlannedFrame> next();

  bool gives_two() const { return rule_.per_field; }  // pictures for a deinterlaced frame

 private:
  bool passes(const FrameInfo* before, const FrameInfo& frame, const FrameInfo* after) const;
  PlannedFrame plan(const FrameInfo* before, const FrameInfo& frame, const FrameInfo* after);

  FieldRule rule_;
  PlannerState state_;
  bool looks_ahead_;
  std::deque<FrameInfo> frames_;  // from the one before the next to be planned on
  bool has_before_ = false;       // frames_.front() is planned already
  bool finished_ = false;
  int64_t next_index_ = 0;
};

}  // namespace weft::filters
