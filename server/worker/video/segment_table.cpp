// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_table.h"

#include <algorithm>
#include <utility>

#include "server/media/read/source/video_source.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

// Returns whether two checkpoints are at the same place: the same next frame after the same frames.
bool same_place(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  const auto one = media::parse_checkpoint(a), other = media::parse_checkpoint(b);
  if (!one.ok() || !other.ok()) return false;
  const auto same_frame = [](const auto& left, const auto& right) {
    return left.pts == right.pts && left.hash == right.hash;
  };
  return one->next_index == other->next_index && one->last_pts == other->last_pts &&
         one->hardware == other->hardware &&
         std::equal(one->seen.begin(), one->seen.end(), other->seen.begin(), other->seen.end(), same_frame);
}

}  // namespace

bool continues(const SegmentRecord& record, const SegmentRecord& next) {
  if (record.last() || record.first_output() + record.outputs() != next.first_output()) return false;
  return !next.has_start() || (record.filter_state() == next.start().filter_state() &&
                               same_place(record.checkpoint(), next.start().checkpoint()));
}

SegmentTable::SegmentTable(std::map<int64_t, SegmentRecord> finished) : finished_(std::move(finished)) {}

void SegmentTable::set_starts(const std::vector<ComputedStart>& starts) {
  const std::lock_guard lock(mutex_);
  starts_.assign(starts.begin(), starts.end());
}

void SegmentTable::forget_start(int64_t segment) {
  const std::lock_guard lock(mutex_);
  if (segment < int64_t(starts_.size())) starts_[size_t(segment)].reset();
}

void SegmentTable::set_lanes(int lanes) {
  const std::lock_guard lock(mutex_);
  lane_limit_ = lanes;
}

bool SegmentTable::is_open(int64_t segment) const {
  return !finished_.contains(segment) && std::ranges::none_of(lanes_, [&](const auto& lane) {
    return segment >= lane.second.current && segment < lane.second.end;
  });
}

bool SegmentTable::can_begin(int64_t segment) const {
  if (segment == 0 || (segment < int64_t(starts_.size()) && starts_[size_t(segment)])) return true;
  const auto before = finished_.find(segment - 1);
  return before != finished_.end() && !before->second.last();
}

// Returns the end of the open segments from `segment` on, as far as the job's end is known.
int64_t SegmentTable::open_from(int64_t segment) const {
  int64_t end = segment;
  while (end < int64_t(starts_.size()) && is_open(end)) end++;
  return end;
}

std::optional<SegmentTable::Run> SegmentTable::begin(int lane) {
  const std::lock_guard lock(mutex_);
  lanes_.erase(lane);
  if (is_closed_ || lane >= lane_limit_) return std::nullopt;
  while (finished_.contains(first_open_)) first_open_++;
  const int64_t newest = finished_.empty() ? 0 : finished_.rbegin()->first + 1;
  const int64_t most = std::max(int64_t(starts_.size()), newest + 1);
  int64_t segment = first_open_;
  while (segment < most && !(is_open(segment) && can_begin(segment))) segment++;
  if (segment == most) return std::nullopt;
  // Half of the open segments are shared among the lanes in this round.
  const int64_t left = int64_t(starts_.size()) - int64_t(finished_.size());
  const int64_t wanted = std::clamp<int64_t>(left / (2 * lane_limit_), 1, kRunSegments);
  const int64_t end = std::max(segment + 1, std::min(segment + wanted, open_from(segment)));
  lanes_[lane] = {segment, end};
  Run run{segment};
  if (const auto before = finished_.find(segment - 1); before != finished_.end())
    run.before = before->second;
  else if (segment < int64_t(starts_.size()))
    run.start = starts_[size_t(segment)];
  return run;
}

bool SegmentTable::add(int lane, const SegmentRecord& record) {
  const std::lock_guard lock(mutex_);
  Reserved& own = lanes_.at(lane);
  const int64_t segment = own.current++;
  finished_[segment] = record;
  const auto before = finished_.find(segment - 1), next = finished_.find(segment + 1);
  if (before != finished_.end() && !continues(before->second, record)) is_closed_ = true;
  if (next != finished_.end() && !continues(record, next->second)) is_closed_ = true;
  if (is_closed_ || record.last() || lane >= lane_limit_) return false;
  if (own.current < own.end) return true;
  if (!is_open(own.current)) return false;
  own.end = own.current + 1;
  return true;
}

void SegmentTable::end(int lane) {
  const std::lock_guard lock(mutex_);
  lanes_.erase(lane);
}

void SegmentTable::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

bool SegmentTable::is_complete() const {
  if (first_broken()) return false;
  const std::lock_guard lock(mutex_);
  return !finished_.empty() && finished_.rbegin()->second.last() &&
         finished_.rbegin()->first + 1 == int64_t(finished_.size());
}

std::optional<int64_t> SegmentTable::first_broken() const {
  const std::lock_guard lock(mutex_);
  for (auto record = finished_.begin(); record != finished_.end(); ++record) {
    const auto next = std::next(record);
    if (next == finished_.end()) break;
    const bool is_next = next->first == record->first + 1;
    if (record->second.last() || (is_next && !continues(record->second, next->second))) return next->first;
  }
  return std::nullopt;
}

std::map<int64_t, SegmentRecord> SegmentTable::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

}  // namespace weft::worker
