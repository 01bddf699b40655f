// SPDX-License-Identifier: Apache-2.0
// Maintains the position of each job: in line, on the device of its attempt, or held until a time.
// The position is derived from the job's record.
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

// The constructor's arguments outlive this object.
class Lineup {
 public:
  Lineup(Placement& placement, const Clock& clock) : placement_(placement), clock_(clock) {}

  // Handles a change of a record. `before` is null for a new job, `after` for a removed one.
  void follow(const JobRecord* before, const JobRecord* after);
  // Ends the holds that are due. A held job goes back to the line, or, if its output is to be
  // published again, its id is returned.
  std::vector<std::string> release(const JobTable& jobs);
  TimePoint next_due() const { return held_.empty() ? TimePoint::max() : held_.begin()->first; }

 private:
  Placement& placement_;
  const Clock& clock_;
  std::set<std::pair<TimePoint, std::string>> held_;  // end of the hold, and job id
};

}  // namespace weft::queue
