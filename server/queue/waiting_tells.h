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

// Constructor arguments outlive it.
class WaitingTells {
 public:
  WaitingTells(const Clock& clock, const Ledger& ledger, const Placement& placement, const JobViews& views,
               JobWatches& watches)
      : clock_(clock), ledger_(ledger), placement_(placement), views_(views), watches_(watches) {}

  // A record changed; null: the job is gone.
  void follow(const JobRecord* after);
  // All are told anew, since a new watch has seen nothing.
  void begin_anew() { told_.clear(); }
  // Something changed that jobs may wait for.
  void changed();
  // Tells, if it is time.
  void tell_due();
  TimePoint next_due() const { return due_.value_or(TimePoint::max()); }

 private:
  const Clock& clock_;
  const Ledger& ledger_;
  const Placement& placement_;
  const JobViews& views_;
  JobWatches& watches_;
  std::optional<TimePoint> due_;                  // when watches are told next
  bool is_stale_ = false;                         // since those before told_to_ were told
  std::string told_to_;                           // the job at which to go on
  std::unordered_map<std::string, size_t> told_;  // a hash of the newest message on each queued job
};

}  // namespace weft::queue
