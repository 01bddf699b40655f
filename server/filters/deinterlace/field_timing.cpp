// SPDX-License-Identifier: Apache-2.0
#include "server/filters/deinterlace/field_timing.h"

#include <algorithm>
#include <utility>

#include "kernels/video/frames.h"

namespace weft::filters {
namespace {

// Largest distance between times; its sum with a doubled time does not overflow.
constexpr int64_t kMostDistance = int64_t{1} << 61;

int32_t flags_of(const PlannedFrame& frame) {
  return (frame.bottom_first ? FLAG_BOTTOM_FIRST : 0) | (frame.copies ? FLAG_COPY : 0) |
         (frame.is_spatial[0] ? FLAG_SPATIAL_FIRST : 0) | (frame.is_spatial[1] ? FLAG_SPATIAL_SECOND : 0);
}

class FieldFollower final : public graph::RuleFollower {
 public:
  FieldFollower(const FieldRule& rule, bool lookahead)
      : planner_(rule, lookahead), divisor_(rule.per_field ? 1 : 2) {}

  void push(const graph::UnitInfo& unit) override {
    parents_.push_back(unit);
    planner_.push(unit.frame);
  }
  void finish() override { planner_.finish(); }
  void resume(int64_t unit, int64_t /*number*/, int64_t state) override {
    resumed_at_ = unit;
    state_.started = state != 0;
  }

  bool needs_number() const override { return false; }

  std::optional<graph::PlannedUnit> next() override {
    if (next_ == resumed_at_) planner_.set_state(state_);
    const std::optional<PlannedFrame> frame = planner_.next();
    if (!frame) return std::nullopt;
    const graph::UnitInfo from = std::move(parents_.front());
    parents_.pop_front();
    graph::PlannedUnit planned;
    planned.flags = flags_of(*frame);
    planned.state = frame->after.started ? 1 : 0;
    for (int k = 0; k < frame->outputs; k++) {
      graph::UnitInfo& unit = planned.units.emplace_back(from);
      unit.frame.pts = frame->output[k].pts / divisor_;
      unit.frame.duration = frame->output[k].duration / divisor_;
      unit.frame.interlaced = frame->copies && from.frame.interlaced;
      unit.frame.top_field_first = frame->copies && from.frame.top_field_first;
      unit.frame.repeats_field = frame->copies && from.frame.repeats_field;
      unit.frame.repeated_frames = frame->copies ? from.frame.repeated_frames : 0;
      unit.frame.discontinuity = from.frame.discontinuity && k == 0;
      unit.ends_source = from.ends_source && k + 1 == frame->outputs;
      unit.parent = next_;
      unit.word = 0;
    }
    next_++;
    return planned;
  }

 private:
  FieldPlanner planner_;
  int divisor_;  // divisor of the planner's times, which count in halves
  std::deque<graph::UnitInfo> parents_;
  int64_t next_ = 0;
  int64_t resumed_at_ = -1;  // unit of the parent that state_ applies to
  PlannerState state_;
};

class FieldTimeRule final : public graph::TimeRule {
 public:
  explicit FieldTimeRule(const FieldRule& rule) : rule_(rule) {}

  bool equals(const TimeRule& other) const override {
    const auto* rule = dynamic_cast<const FieldTimeRule*>(&other);
    return rule != nullptr && rule->rule_ == rule_;
  }
  graph::Rate rate() const override { return {pictures(), 1}; }
  int64_t time_divisor() const override { return pictures(); }
  int most_units(int parents) const override { return pictures() * parents; }
  int fewest_units(int parents) const override { return rule_.only_flagged ? parents : most_units(parents); }
  int most_parents(int units) const override {
    return rule_.only_flagged ? units : (units + pictures() - 1) / pictures();
  }
  bool is_by_unit() const override { return false; }
  int targets() const override { return 2; }
  bool lookahead(bool exact_durations, bool windows_do) const override {
    return windows_do || !exact_durations || rule_.only_flagged;
  }
  std::unique_ptr<graph::RuleFollower> follow(bool lookahead) const override {
    return std::make_unique<FieldFollower>(rule_, lookahead);
  }

 private:
  int pictures() const { return rule_.per_field ? 2 : 1; }  // maximum per frame

  FieldRule rule_;
};

}  // namespace

graph::TimeRulePtr by_fields(const FieldRule& rule) { return std::make_shared<FieldTimeRule>(rule); }

FieldPlanner::FieldPlanner(const FieldRule& rule, bool lookahead) : rule_(rule), lookahead_(lookahead) {}

void FieldPlanner::push(const graph::FrameInfo& frame) { frames_.push_back(frame); }

void FieldPlanner::finish() { finished_ = true; }

std::optional<PlannedFrame> FieldPlanner::next() {
  const size_t here = has_before_ ? 1 : 0;
  const bool has_after = lookahead_ && frames_.size() > here + 1;
  if (frames_.size() <= here || (lookahead_ && !has_after && !finished_)) return std::nullopt;
  const PlannedFrame planned =
      plan(has_before_ ? &frames_[0] : nullptr, frames_[here], has_after ? &frames_[here + 1] : nullptr);
  if (has_before_) frames_.pop_front();
  has_before_ = true;
  next_index_++;
  return planned;
}

// As in FFmpeg, a flagged frame next to an unflagged one that repeats a field is unchanged too.
bool FieldPlanner::passes(const graph::FrameInfo* before, const graph::FrameInfo& frame,
                          const graph::FrameInfo* after) const {
  const auto is_soft_telecine = [](const graph::FrameInfo* neighbour) {
    return neighbour != nullptr && !neighbour->interlaced && neighbour->repeats_field;
  };
  return rule_.only_flagged && (!frame.interlaced || is_soft_telecine(before) || is_soft_telecine(after));
}

PlannedFrame FieldPlanner::plan(const graph::FrameInfo* before, const graph::FrameInfo& frame,
                                const graph::FrameInfo* after) {
  const int64_t gap = after != nullptr ? after->pts - frame.pts : kMostDistance;
  if (frame.discontinuity) {
    before = nullptr;
    state_.started = false;
  }
  if (after != nullptr && after->discontinuity) after = nullptr;

  PlannedFrame planned;
  planned.index = next_index_;
  planned.previous = before != nullptr ? next_index_ - 1 : next_index_;
  planned.next = after != nullptr ? next_index_ + 1 : next_index_;
  planned.context = frame.context;
  planned.copies = passes(before, frame, after);
  planned.bottom_first = rule_.parity == v1::PARITY_BOTTOM ||
                         (rule_.parity != v1::PARITY_TOP && frame.interlaced && !frame.top_field_first);
  planned.outputs = rule_.per_field && !planned.copies ? 2 : 1;
  if (!planned.copies) {
    planned.is_spatial[0] = !state_.started && after != nullptr;
    planned.is_spatial[1] = after == nullptr;
    state_.started = true;
  }
  planned.after = state_;

  int64_t distance = frame.duration;
  if (after != nullptr)
    distance = after->pts - frame.pts;
  else if (before != nullptr && lookahead_)
    distance = frame.pts - before->pts;
  distance = std::max<int64_t>(std::min({distance, gap, kMostDistance}), 0);
  const int64_t duration = planned.outputs == 2 ? distance : 2 * distance;
  planned.output[0] = {2 * frame.pts, duration};
  if (planned.outputs == 2) planned.output[1] = {2 * frame.pts + distance, duration};
  return planned;
}

}  // namespace weft::filters
