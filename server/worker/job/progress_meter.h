// SPDX-License-Identifier: Apache-2.0
// How fast a job goes, and what it waits for, out of its counters: what its progress says.
#pragma once

#include <algorithm>

#include "server/worker/job/job_result.h"
#include "server/worker/job/limit_meter.h"
#include "server/worker/job/rate_meter.h"

namespace weft::worker {

// Thread-safe.
class ProgressMeter {
 public:
  // Units a second over the last seconds. `resumed`: units that earlier attempts did.
  double rate(const JobMeter& meter, int64_t resumed) {
    return rate_.update(std::max<int64_t>(meter.units_done - resumed, 0), std::chrono::steady_clock::now());
  }
  v1::JobProgress progress(const JobMeter& meter, int64_t resumed, const char* stage) {
    return progress_of(meter, rate(meter, resumed), stage,
                       limit_.update(meter, std::chrono::steady_clock::now()));
  }

 private:
  RateMeter rate_;
  LimitMeter limit_;
};

}  // namespace weft::worker
