// SPDX-License-Identifier: Apache-2.0
// Computes a job's speed and bottleneck from its counters, for its progress.
#pragma once

#include <algorithm>

#include "server/worker/job/job_result.h"
#include "server/worker/job/limit_meter.h"
#include "server/worker/job/rate_meter.h"

namespace weft::worker {

// Thread-safe.
class ProgressMeter {
 public:
  // Returns the rate over the last seconds, in units a second. `resumed` is the number of units
  // that earlier attempts have finished.
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
