// SPDX-License-Identifier: Apache-2.0
// Where each job stands: in line, on the device that its attempt holds, or held until a time. All of it follows from its record.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/queue/job_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/records/record.h"

namespace weft::queue {

// Constructor arguments outlive it.
class Lineup {
 public:
  Lineup(Placement& placement, const Clock& clock) : placement_(placement), clock_(clock) {}

  // A record changed; null: the job was not there before, or is gone.
  void follow(const JobRecord* before, const JobRecord* after);
  // Jobs whose time has come stand in line again. Returns those that are to be published again instead.
  std::vector<std::string> release(const JobTable& jobs);
  TimePoint next_due() const { return held_.empty() ? TimePoint::max() : held_.begin()->first; }

 private:
  Placement& placement_;
  const Clock& clock_;
  std::set<std::pair<TimePoint, std::string>> held_;  // jobs that wait for a time
};

}  // namespace weft::queue
