// SPDX-License-Identifier: Apache-2.0
#include "server/filters/cadence/field_repeats.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/video/repeat_fields.kernel"

namespace weft::filters {
namespace {

constexpr int kDivisor = 6;     // of the time unit: halves and thirds of a picture's time
constexpr int kMostFrames = 3;  // made from one picture
constexpr int64_t kMostTime = std::numeric_limits<int64_t>::max() / 16;

int64_t in_sixths(int64_t time) { return kDivisor * std::clamp(time, -kMostTime, kMostTime); }

// The rule's state after a picture.
struct State {
  bool top_waits = false;        // the last field is a top field without a bottom field
  bool cut_waits = false;        // a discontinuity before a picture that yields no frame
  bool yielded_nothing = false;  // the picture yields no frame

  int64_t number() const {
    return int64_t{top_waits} | int64_t{cut_waits} << 1 | int64_t{yielded_nothing} << 2;
  }
  static State of(int64_t number) { return {(number & 1) != 0, (number & 2) != 0, (number & 4) != 0}; }
};

// The fields of a picture in time.
struct ShownFields {
  int count = 2;
  bool bottom_first = false;
  bool whole_frames = false;  // frame doubling or tripling

  // Returns true if the last field in time is a top field.
  bool leaves_top() const { return !whole_frames && bottom_first != (count == 3); }
  int frames() const { return whole_frames ? count / 2 : bottom_first && count == 3 ? 2 : 1; }
};

ShownFields fields_of(const graph::FrameInfo& frame, bool top_waits) {
  if (frame.repeated_frames > 0) return {2 * std::min(1 + frame.repeated_frames, kMostFrames), false, true};
  const bool says_order = frame.interlaced || frame.repeats_field;
  return {frame.repeats_field ? 3 : 2, !frame.top_field_first && (says_order || top_waits), false};
}

// Returns the duration of a field of `frame`, by the time to `after` if it is known. Some
// containers have durations without the repetition, and other gaps are those of lost pictures.
int64_t field_time(const graph::FrameInfo& frame, int fields, const graph::FrameInfo* after) {
  constexpr int64_t kMostDurations = 4;
  int64_t time = in_sixths(std::clamp<int64_t>(frame.duration, 1, kMostTime / kMostDurations));
  if (after != nullptr && after->pts > frame.pts)
    time = std::min(kMostDurations * time, in_sixths(after->pts) - in_sixths(frame.pts));
  return std::max<int64_t>(time / fields, 1);
}

class RepeatFollower final : public graph::RuleFollower {
 public:
  explicit RepeatFollower(bool lookahead) : lookahead_(lookahead) {}

  void push(const graph::UnitInfo& unit) override { parents_.push_back(unit); }
  void finish() override { finished_ = true; }
  void resume(int64_t unit, int64_t /*number*/, int64_t state) override {
    resumed_at_ = unit;
    resumed_ = State::of(state);
  }
  bool needs_number() const override { return false; }

  std::optional<graph::PlannedUnit> next() override {
    const bool has_after = lookahead_ && parents_.size() > 1;
    if (parents_.empty() || (lookahead_ && !has_after && !finished_)) return std::nullopt;
    if (next_ == resumed_at_) state_ = resumed_;
    graph::PlannedUnit planned = plan(parents_.front(), has_after ? &parents_[1].frame : nullptr);
    parents_.pop_front();
    next_++;
    return planned;
  }

 private:
  // The picture before.
  struct Before {
    graph::FrameInfo frame;
    int fields = 2;
  };

  // Returns the time of the first output frame of a picture. A first bottom field belongs to a
  // frame that begins with the last field of the picture before.
  static int64_t begin_of(const graph::FrameInfo& frame, const ShownFields& fields,
                          const std::optional<Before>& before) {
    const bool leads = fields.bottom_first && before;
    return in_sixths(frame.pts) - (leads ? field_time(before->frame, before->fields, &frame) : 0);
  }

  graph::PlannedUnit plan(const graph::UnitInfo& from, const graph::FrameInfo* after) {
    const graph::FrameInfo& frame = from.frame;
    if (frame.discontinuity) {
      before_.reset();
      state_.cut_waits = state_.cut_waits || next_ > 0;
      state_.top_waits = false;
    }
    ShownFields fields = fields_of(frame, state_.top_waits);
    if (!before_ && fields.bottom_first && fields.count == 2 && state_.yielded_nothing)
      fields.bottom_first = false;
    const int64_t own_time = field_time(frame, fields.count, after);
    graph::PlannedUnit planned;
    for (int number = 0; number < fields.frames(); number++) {
      const bool is_mixed = fields.bottom_first && number == 0;
      int64_t time = in_sixths(frame.pts) + 2 * number * own_time;
      if (fields.bottom_first)  // the second frame of B T B begins with the second field
        time = is_mixed ? begin_of(frame, fields, before_) : in_sixths(frame.pts) + own_time;
      if (!is_mixed || before_) add(planned, from, time, is_mixed);
    }
    state_.yielded_nothing = planned.units.empty();
    state_.top_waits = fields.leaves_top();
    before_ = Before{frame, fields.count};
    complete(planned, from, own_time, after);
    return planned;
  }

  void add(graph::PlannedUnit& planned, const graph::UnitInfo& from, int64_t time, bool is_mixed) const {
    graph::UnitInfo& unit = planned.units.emplace_back(from);
    unit.frame.pts = time;
    unit.frame.interlaced = from.frame.interlaced || is_mixed;
    unit.frame.top_field_first = true;
    unit.frame.repeats_field = false;
    unit.frame.repeated_frames = 0;
    unit.frame.discontinuity = false;
    unit.ends_source = false;
    unit.parent = next_;
    unit.word = is_mixed ? TOP_OF_PREVIOUS : 0;
  }

  // Sets the durations and marks of the picture's frames. The last frame lasts to the first one of
  // the next picture.
  void complete(graph::PlannedUnit& planned, const graph::UnitInfo& from, int64_t own_time,
                const graph::FrameInfo* after) {
    auto& units = planned.units;
    if (!units.empty()) {
      units.front().frame.discontinuity = std::exchange(state_.cut_waits, false);
      units.back().ends_source = from.ends_source;
      for (size_t i = 0; i + 1 < units.size(); i++)
        units[i].frame.duration = units[i + 1].frame.pts - units[i].frame.pts;
      int64_t duration = 2 * own_time;
      if (after != nullptr && after->discontinuity)
        duration = std::clamp<int64_t>(in_sixths(after->pts) - units.back().frame.pts, 1, duration);
      else if (after != nullptr)
        duration = begin_of(*after, fields_of(*after, state_.top_waits), before_) - units.back().frame.pts;
      units.back().frame.duration = duration;
    }
    planned.state = state_.number();
  }

  const bool lookahead_;
  std::deque<graph::UnitInfo> parents_;  // pictures that are not planned yet
  std::optional<Before> before_;
  bool finished_ = false;
  int64_t next_ = 0;
  int64_t resumed_at_ = -1;  // unit of the parent that resumed_ applies to
  State state_, resumed_;
};

class RepeatRule final : public graph::TimeRule {
 public:
  bool equals(const TimeRule& other) const override {
    return dynamic_cast<const RepeatRule*>(&other) != nullptr;
  }
  // Soft telecine has 5 frames for 4 pictures.
  graph::Rate rate() const override { return {5, 4}; }
  int64_t time_divisor() const override { return kDivisor; }
  int most_units(int parents) const override { return kMostFrames * std::max(parents, 0); }
  int fewest_units(int parents) const override { return parents / 2; }
  int most_parents(int units) const override { return 2 * std::max(units, 0); }
  bool is_by_unit() const override { return true; }
  int targets() const override { return 1; }
  bool lookahead(bool exact_durations, bool windows_do) const override {
    return windows_do || !exact_durations;
  }
  std::unique_ptr<graph::RuleFollower> follow(bool lookahead) const override {
    return std::make_unique<RepeatFollower>(lookahead);
  }
};

}  // namespace

graph::TimeRulePtr by_field_repeats() { return std::make_shared<RepeatRule>(); }

}  // namespace weft::filters
