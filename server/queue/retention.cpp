// SPDX-License-Identifier: Apache-2.0
#include "server/queue/retention.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/queue/records/proto_time.h"

namespace weft::queue {
namespace {

constexpr int kFoundAtOnce = 1000;  // jobs in one batch
// Limits of the interval between checks. The upper one accounts for a wall clock that is set, the
// lower one for jobs that cannot be removed yet.
constexpr Duration kLongestCheckInterval = std::chrono::hours(1);
constexpr Duration kShortestCheckInterval = std::chrono::seconds(1);
// The wall clock may be wrong after a machine's start, and is usually set within minutes. Jobs are
// forgotten by the wall clock only after it ran this long without a step.
constexpr Duration kClockSettles = std::chrono::hours(1);
// Smallest difference between two checks, against the steady clock, that counts as a step.
constexpr Duration kClockStep = std::chrono::minutes(1);

}  // namespace

void Retention::watch_wall_clock() {
  const Duration offset = clock_.wall_now().time_since_epoch() - clock_.now().time_since_epoch();
  if (!wall_offset_ || std::chrono::abs(offset - *wall_offset_) > kClockStep)
    wall_is_steady_since_ = clock_.now();
  wall_offset_ = offset;
}

// Returns the time until the job is forgotten. The age of a job that ended since the start is
// measured with the steady clock, that of other jobs with the wall clock after it has settled.
Retention::Kept Retention::kept_for(const v1::Job& job, Duration kept) const {
  if (kept == Duration::max()) return {kept, true};
  const Duration by_wall = kept - (clock_.wall_now() - end_of(job));
  if (by_wall > Duration::zero()) return {by_wall, true};
  const TimePoint time = clock_.now();
  const auto here = ended_here_.find(job.id());
  if (here != ended_here_.end()) return {kept - (time - here->second), false};
  return {kClockSettles - (time - wall_is_steady_since_), false};
}

// Selects the job's work folder, or the job if it has none. A job changed in this batch is selected
// at a later check.
void Retention::expire(const JobRecord& record, const IsChanged& is_changed, Found& found) const {
  const std::string& id = record.job.id();
  if (record.keeps_work)
    found.work.push_back(id);
  else if (!record.cleanup && !attempt_is_open(record.job) && !is_changed(id))
    found.jobs.insert(id);
}

// Selects the oldest ended jobs of owners over their quota. If some cannot be removed yet, the next
// change of the owner's jobs causes another check.
void Retention::trim_owners(const IsChanged& is_changed, Found& found) {
  for (const std::string& owner : std::exchange(full_owners_, {})) {
    int64_t excess = jobs_.bytes_of(owner).all - config_.owner_bytes;
    if (excess <= 0) continue;
    jobs_.visit_ended_of(owner, [&](const RecordPtr& record) {
      expire(*record, is_changed, found);
      excess -= bytes_of(record->job);
      return excess > 0;
    });
  }
}

// Selects expired jobs: first the work folder, and at a later check the job. Jobs changed in this
// batch wait for a later check.
Retention::Found Retention::find(const IsChanged& is_changed) {
  Found result;
  const TimePoint time = clock_.now();
  int64_t excess = jobs_.ended_count() - config_.ended_jobs;
  trim_owners(is_changed, result);
  if (time < expiry_ && excess <= 0) return result;
  watch_wall_clock();
  Duration next = kLongestCheckInterval;
  int found = 0;
  jobs_.visit_kept_work([&](const RecordPtr& record) {
    const Kept kept = kept_for(record->job, config_.failed_work_age);
    next = std::min(next, std::max(kept.left, kShortestCheckInterval));
    if (kept.left > Duration::zero()) return !kept.is_in_order;
    result.work.push_back(record->job.id());
    return ++found < kFoundAtOnce;
  });
  jobs_.visit_ended([&](const RecordPtr& record) {
    const Kept kept = kept_for(record->job, config_.ended_age);
    next = std::min(next, std::max(kept.left, kShortestCheckInterval));
    const bool too_many = excess-- > 0;
    if (kept.left > Duration::zero() && !too_many) return !kept.is_in_order;
    expire(*record, is_changed, result);
    return ++found < kFoundAtOnce;
  });
  expiry_ = forgets() && jobs_.ended_count() > 0 ? time + next : TimePoint::max();
  return result;
}

void Retention::follow(const JobRecord* before, const JobRecord* after) {
  const std::string& id = (after != nullptr ? after : before)->job.id();
  const bool is_over = after != nullptr && is_final(after->job.state());
  if (!is_over) ended_here_.erase(id);
  if (after == nullptr) return;
  const std::string& owner = after->job.settings().owner();
  if (jobs_.bytes_of(owner).all > config_.owner_bytes) full_owners_.insert(owner);
  if (is_over && forgets()) expiry_ = std::min(expiry_, clock_.now());
  if (is_over && !(before != nullptr && is_final(before->job.state()))) ended_here_[id] = clock_.now();
}

bool Retention::forgets() const {
  return config_.ended_age != Duration::max() || config_.failed_work_age != Duration::max();
}

}  // namespace weft::queue
