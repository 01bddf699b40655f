// SPDX-License-Identifier: Apache-2.0
// Selects the ended jobs to be forgotten and the work folders of failed jobs to be removed: by age,
// by number, and by the bytes of one owner's jobs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/job_table.h"
#include "server/queue/queue_types.h"

namespace weft::queue {

// The constructor's arguments outlive this object.
class Retention {
 public:
  Retention(const QueueConfig& config, const Clock& clock, const JobTable& jobs)
      : config_(config), clock_(clock), jobs_(jobs) {}

  // Schedules the first check for now.
  void start() { expiry_ = clock_.now(); }
  // Handles a change of a record. `before` is null for a new job, `after` for a removed one.
  void follow(const JobRecord* before, const JobRecord* after);

  // The jobs that find() selects. The work folder of an ended job is removed before the job.
  struct Found {
    std::vector<std::string> work;  // ids of jobs with a work folder to be removed
    std::set<std::string> jobs;     // ids of jobs to be forgotten
  };
  // Selects expired jobs. `is_changed` returns true for a job that the current batch changed; such
  // a job is selected by a later call.
  Found find(const std::function<bool(const std::string& id)>& is_changed);
  // Returns the latest time of the next find().
  TimePoint next_due() const { return expiry_; }

 private:
  struct Kept {
    Duration left;     // remaining time until the job is forgotten
    bool is_in_order;  // true if jobs with a later end have more time left
  };
  using IsChanged = std::function<bool(const std::string& id)>;

  bool forgets() const;
  void watch_wall_clock();
  Kept kept_for(const v1::Job& job, Duration kept) const;
  void expire(const JobRecord& record, const IsChanged& is_changed, Found& found) const;
  void trim_owners(const IsChanged& is_changed, Found& found);

  const QueueConfig& config_;
  const Clock& clock_;
  const JobTable& jobs_;
  TimePoint expiry_ = TimePoint::max();
  // Owners with more than config_.owner_bytes of stored jobs.
  std::set<std::string> full_owners_;
  std::map<std::string, TimePoint> ended_here_;  // ends of jobs that ended since the start, by id
  // Difference between the wall clock and the steady clock at the last check.
  std::optional<Duration> wall_offset_;
  TimePoint wall_is_steady_since_{};
};

}  // namespace weft::queue
