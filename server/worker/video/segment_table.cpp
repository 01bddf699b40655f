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

SegmentTable::SegmentTable(std::map<int64_t, SegmentRecord> finished, SharedSegments* shared,
                           OnFound on_found)
    : finished_(std::move(finished)), shared_(shared), on_found_(std::move(on_found)) {}

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

// Claims an open segment. Returns false if another task has claimed or finished it.
bool SegmentTable::obtain(int64_t segment, TimePoint now) {
  if (shared_ == nullptr) return true;
  if (!shared_->claim(segment)) {
    elsewhere_.try_emplace(segment, now);
    return false;
  }
  elsewhere_.erase(segment);
  const std::optional<SegmentRecord> found = shared_->find_finished(segment);
  if (!found) return true;
  shared_->release(segment);
  keep(segment, *found);
  if (on_found_) on_found_(segment, *found);
  return false;
}

// Adds a finished segment. A segment that does not continue its neighbour ends all lanes.
void SegmentTable::keep(int64_t segment, const SegmentRecord& record) {
  finished_[segment] = record;
  const auto before = finished_.find(segment - 1), next = finished_.find(segment + 1);
  if (before != finished_.end() && !continues(before->second, record)) is_closed_ = true;
  if (next != finished_.end() && !continues(record, next->second)) is_closed_ = true;
}

// Returns the first open segment that can begin, and claims it.
std::optional<int64_t> SegmentTable::find_open(TimePoint now) {
  while (finished_.contains(first_open_)) first_open_++;
  const int64_t newest = finished_.empty() ? 0 : finished_.rbegin()->first + 1;
  const int64_t most = std::max(int64_t(starts_.size()), newest + 1);
  for (int64_t segment = first_open_; segment < most && !is_closed_; segment++)
    if (is_open(segment) && can_begin(segment) && obtain(segment, now)) return segment;
  return std::nullopt;
}

// Returns the segment that another task has rendered for longest, if that is too long.
std::optional<int64_t> SegmentTable::find_late(TimePoint now) {
  if (is_closed_ || own_time_ == Duration(0)) return std::nullopt;
  std::optional<int64_t> late;
  TimePoint since = now - kPatience * own_time_;
  for (const auto& [segment, claimed] : elsewhere_)
    if (claimed < since && is_open(segment)) {
      since = claimed;
      late = segment;
    }
  return late;
}

std::optional<SegmentTable::Run> SegmentTable::begin(int lane, TimePoint now) {
  const std::lock_guard lock(mutex_);
  let_go(lane);
  if (is_closed_ || lane >= lane_limit_) return std::nullopt;
  std::optional<int64_t> segment = find_open(now);
  const bool is_own = segment.has_value();
  if (!is_own) segment = find_late(now);
  if (!segment) return std::nullopt;
  int64_t end = *segment + 1;
  if (is_own) {
    // Half of the open segments are shared among the lanes in this round.
    const int64_t left = int64_t(starts_.size()) - int64_t(finished_.size());
    const int64_t wanted = std::clamp<int64_t>(left / (2 * lane_limit_), 1, kRunSegments);
    while (end < std::min(*segment + wanted, int64_t(starts_.size())) && is_open(end) && obtain(end, now))
      end++;
  }
  lanes_[lane] = {*segment, end, now};
  Run run{*segment};
  if (const auto before = finished_.find(*segment - 1); before != finished_.end())
    run.before = before->second;
  else if (*segment < int64_t(starts_.size()))
    run.start = starts_[size_t(*segment)];
  return run;
}

bool SegmentTable::add(int lane, const SegmentRecord& record, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Reserved& own = lanes_.at(lane);
  const int64_t segment = own.current++;
  own_time_ = std::max(own_time_, Duration(now - std::exchange(own.since, now)));
  if (shared_ != nullptr) shared_->release(segment);
  elsewhere_.erase(segment);
  keep(segment, record);
  if (is_closed_ || record.last() || lane >= lane_limit_) return false;
  if (own.current < own.end) return true;
  if (!is_open(own.current) || !obtain(own.current, now)) return false;
  own.end = own.current + 1;
  return true;
}

bool SegmentTable::awaits_others() const {
  const std::lock_guard lock(mutex_);
  return !is_closed_ && !elsewhere_.empty();
}

void SegmentTable::end(int lane) {
  const std::lock_guard lock(mutex_);
  let_go(lane);
}

// Ends the reservation of a lane, with its claims.
void SegmentTable::let_go(int lane) {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return;
  const Reserved own = found->second;
  lanes_.erase(found);
  for (int64_t segment = own.current; shared_ != nullptr && segment < own.end; segment++)
    shared_->release(segment);
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
