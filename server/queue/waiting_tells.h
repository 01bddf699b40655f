// SPDX-License-Identifier: Apache-2.0
// Tells watches what queued jobs wait for as it changes, though the jobs themselves do not.
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

// What is given outlives it.
class WaitingTells {
 public:
  WaitingTells(const Clock& clock, const Ledger& ledger, const Placement& placement, const JobViews& views,
               JobWatches& watches)
      : clock_(clock), ledger_(ledger), placement_(placement), views_(views), watches_(watches) {}

  // A record changed; null: the job is gone.
  void follow(const JobRecord* after);
  // All are told anew: what was told says nothing of a new watch.
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
  std::unordered_map<std::string, size_t> told_;  // a hash of what was told of each queued job
};

}  // namespace weft::queue
