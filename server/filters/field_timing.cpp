// SPDX-License-Identifier: Apache-2.0
#include "server/filters/field_timing.h"

#include <algorithm>

namespace weft::filters {
namespace {

// Between times, so that a sum with a doubled time has a value.
constexpr int64_t kMostDistance = int64_t{1} << 61;

}  // namespace

FieldPlanner::FieldPlanner(const FieldRule& rule, bool looks_ahead)
    : rule_(rule), looks_ahead_(looks_ahead) {}

void FieldPlanner::push(const FrameInfo& frame) { frames_.push_back(frame); }

void FieldPlanner::finish() { finished_ = true; }

std::optional<PlannedFrame> FieldPlanner::next() {
  const size_t here = has_before_ ? 1 : 0;
  const bool has_after = looks_ahead_ && frames_.size() > here + 1;
  if (frames_.size() <= here || (looks_ahead_ && !has_after && !finished_)) return std::nullopt;
  const PlannedFrame planned =
      plan(has_before_ ? &frames_[0] : nullptr, frames_[here], has_after ? &frames_[here + 1] : nullptr);
  if (has_before_) frames_.pop_front();
  has_before_ = true;
  next_index_++;
  return planned;
}

// FFmpeg also passes a flagged frame beside an unflagged one that repeats a field.
bool FieldPlanner::passes(const FrameInfo* before, const FrameInfo& frame, const FrameInfo* after) const {
  const auto is_soft_telecine = [](const FrameInfo* neighbour) {
    return neighbour != nullptr && !neighbour->interlaced && neighbour->repeats_field;
  };
  return rule_.only_flagged && (!frame.interlaced || is_soft_telecine(before) || is_soft_telecine(after));
}

PlannedFrame FieldPlanner::plan(const FrameInfo* before, const FrameInfo& frame, const FrameInfo* after) {
  const int64_t room = after != nullptr ? after->pts - frame.pts : kMostDistance;
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
  else if (before != nullptr && looks_ahead_)
    distance = frame.pts - before->pts;
  distance = std::max<int64_t>(std::min({distance, room, kMostDistance}), 0);
  const int64_t duration = planned.outputs == 2 ? distance : 2 * distance;
  planned.output[0] = {2 * frame.pts, duration};
  if (planned.outputs == 2) planned.output[1] = {2 * frame.pts + distance, duration};
  return planned;
}

}  // namespace weft::filters
