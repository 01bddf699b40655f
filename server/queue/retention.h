// SPDX-License-Identifier: Apache-2.0
// Which ended jobs are forgotten, and which work folders of failed ones: by age, by number, and by the bytes of one owner's jobs.
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

// Constructor arguments outlive it.
class Retention {
 public:
  Retention(const QueueConfig& config, const Clock& clock, const JobTable& jobs)
      : config_(config), clock_(clock), jobs_(jobs) {}

  // From now on find() looks.
  void start() { expiry_ = clock_.now(); }
  // A record changed; null: the job was not there before, or is gone.
  void follow(const JobRecord* before, const JobRecord* after);

  // Of an ended job the work folder goes first.
  struct Found {
    std::vector<std::string> work;  // jobs; their work folders are removed
    std::set<std::string> jobs;     // that are forgotten
  };
  // `is_changed`: by the batch at hand; such a job waits for the next look.
  Found find(const std::function<bool(const std::string& id)>& is_changed);
  // The time of the next find() at the latest.
  TimePoint next_due() const { return expiry_; }

 private:
  struct Kept {
    Duration left;     // until it is forgotten
    bool is_in_order;  // those that ended later by the wall clock are kept longer
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
  std::set<std::string> full_owners_;            // of whose jobs more than config_.owner_bytes are remembered
  std::map<std::string, TimePoint> ended_here_;  // jobs that ended since the start, and when
  std::optional<Duration> wall_offset_;          // of the wall clock against the other, when last looked
  TimePoint wall_is_steady_since_{};
};

}  // namespace weft::queue
