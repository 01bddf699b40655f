// SPDX-License-Identifier: Apache-2.0
// Reports the waiting reasons of queued jobs to watches as they change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "server/queue/job_views.h"
#include "server/queue/ledger.h"
#include "server/queue/placement/placement.h"
#include "server/queue/watch.h"

namespace weft::queue {

// The constructor's arguments outlive this object.
class WaitingUpdates {
 public:
  WaitingUpdates(const Clock& clock, const Ledger& ledger, const Placement& placement, const JobViews& views,
                 JobWatches& watches)
      : clock_(clock), ledger_(ledger), placement_(placement), views_(views), watches_(watches) {}

  // Handles a change of a record. `after` is null if the job is gone.
  void follow(const JobRecord* after);
  // Reports all queued jobs again, since a new watch has received none.
  void begin_anew() { sent_at_.clear(); }
  // Schedules a report after a change that may alter waiting reasons.
  void changed();
  // Reports changed waiting reasons if next_due() is over.
  void send_due();
  TimePoint next_due() const { return due_.value_or(TimePoint::max()); }

 private:
  const Clock& clock_;
  const Ledger& ledger_;
  const Placement& placement_;
  const JobViews& views_;
  JobWatches& watches_;
  std::optional<TimePoint> due_;  // time of the next report
  bool is_stale_ = false;         // true if jobs up to sent_to_ may have changed since their report
  std::string sent_to_;           // id of the last job reported; the next report continues after it
  // Hash of the newest report of each queued job.
  std::unordered_map<std::string, size_t> sent_at_;
};

}  // namespace weft::queue
