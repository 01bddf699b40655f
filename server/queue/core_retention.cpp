// SPDX-License-Identifier: Apache-2.0
// The part of Core that forgets: jobs that ended long ago, and what failed ones left for a retry.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/queue/core.h"
#include "server/queue/files/job_files.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/proto_time.h"
#include "server/queue/records/ulid.h"

namespace weft::queue {
namespace {

constexpr int kFoundAtOnce = 1000;  // in one batch
// Between two looks. The wall clock may be set; and what is busy now is looked at again soon.
constexpr Duration kLongestLook = std::chrono::hours(1);
constexpr Duration kShortestLook = std::chrono::seconds(1);
// The wall clock may be wrong at the start of a machine, and is set within minutes where it is set at all. Until it has gone on
// for so long without a step, no job is forgotten by it.
constexpr Duration kClockSettles = std::chrono::hours(1);
constexpr Duration kClockStep =
    std::chrono::minutes(1);  // between two looks, against the clock that never jumps

}  // namespace

void Core::watch_wall_clock() {
  const Duration offset = clock_.wall_now().time_since_epoch() - clock_.now().time_since_epoch();
  if (!wall_offset_ || std::chrono::abs(offset - *wall_offset_) > kClockStep)
    wall_is_steady_since_ = clock_.now();
  wall_offset_ = offset;
}

// How long what ended with the job is still kept. Times of jobs that ended since the start are measured by the clock that never
// jumps; of others only the wall clock tells, once it is trusted.
Core::Kept Core::kept_for(const v1::Job& job, Duration kept) const {
  if (kept == Duration::max()) return {kept, true};
  const Duration by_wall = kept - (clock_.wall_now() - end_of(job));
  if (by_wall > Duration::zero()) return {by_wall, true};
  const TimePoint time = clock_.now();
  const auto here = ended_here_.find(job.id());
  if (here != ended_here_.end()) return {kept - (time - here->second), false};
  return {kClockSettles - (time - wall_is_steady_since_), false};
}

// Of an ended job the work folder goes first. One that this batch changes waits for the next look.
void Core::expire(const RecordPtr& record) {
  const std::string& id = record->job.id();
  if (record->keeps_work)
    take(JobEvent{id, event::WorkExpired{}});
  else if (!record->cleanup && !attempt_is_open(record->job) && !batch_.before.contains(id))
    batch_.forgotten.insert(id);
}

// Owners of whose jobs too much is remembered lose those that ended first. What cannot go yet is looked at again with the next
// change of a job of theirs.
void Core::trim_owners() {
  for (const std::string& owner : std::exchange(full_owners_, {})) {
    int64_t excess = jobs_.bytes_of(owner).all - config_.owner_bytes;
    if (excess <= 0) continue;
    jobs_.visit_ended_of(owner, [&](const RecordPtr& record) {
      expire(record);
      excess -= bytes_of(record->job);
      return excess > 0;
    });
  }
}

// Jobs whose time is over: a work folder goes first, the job follows once it is gone. Those that this batch changes wait for
// the next look.
void Core::find_expired() {
  const TimePoint time = clock_.now();
  int64_t excess = jobs_.ended_count() - config_.ended_jobs;
  if (workers_ == nullptr || draining_) return;
  trim_owners();
  if (time < expiry_ && excess <= 0) return;
  watch_wall_clock();
  Duration next = kLongestLook;
  int found = 0;
  jobs_.visit_kept_work([&](const RecordPtr& record) {
    const Kept kept = kept_for(record->job, config_.failed_work_age);
    next = std::min(next, std::max(kept.left, kShortestLook));
    if (kept.left > Duration::zero()) return !kept.is_in_order;
    take(JobEvent{record->job.id(), event::WorkExpired{}});
    return ++found < kFoundAtOnce;
  });
  jobs_.visit_ended([&](const RecordPtr& record) {
    const Kept kept = kept_for(record->job, config_.ended_age);
    next = std::min(next, std::max(kept.left, kShortestLook));
    const bool too_many = excess-- > 0;
    if (kept.left > Duration::zero() && !too_many) return !kept.is_in_order;
    expire(record);
    return ++found < kFoundAtOnce;
  });
  expiry_ = forgets() && jobs_.ended_count() > 0 ? time + next : TimePoint::max();
}

bool Core::forgets() const {
  return config_.ended_age != Duration::max() || config_.failed_work_age != Duration::max();
}

// Work folders that no job knows. Folder by folder, as one of them may lie on a file system that hangs.
void Core::remove_orphans() {
  const auto known = std::make_shared<KnownJobs>();
  known->store_id = store_identity_.id;
  known->before = first_ulid_at(clock_.wall_now());
  known->ids = jobs_.ids();
  std::set<std::string> folders = {work_place_of(config_.state_folder)};
  for (const std::string& id : known->ids)
    for (const std::string& output : outputs_of_spec(jobs_.find(id)->job.spec()))
      folders.insert(std::filesystem::path(output).parent_path().string());
  for (const std::string& folder : folders)
    work_elsewhere({folder}, [workers = workers_, folder, known] {
      workers->remove_orphans(*known, folder);
      return JobEvent{};  // of no job
    });
}

void Core::forget(const std::set<std::string>& ids) {
  for (const std::string& id : ids) {
    log_store_.remove(id);
    const RecordPtr record = jobs_.find(id);
    jobs_.remove(id);
    ended_here_.erase(id);
    watches_.forgotten(record);
  }
  if (!ids.empty() && !logs_due_) logs_due_ = clock_.now();
}

}  // namespace weft::queue
