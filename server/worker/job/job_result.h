// SPDX-License-Identifier: Apache-2.0
// Converts the counters of a job to its result and its progress.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "server/worker/device/job_meter.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Returns the sum over all attempts: that of the `earlier` ones, and this attempt's meter after
// `wall_time`. The caller adds segments and notes.
v1::JobResult add_up(const v1::JobResult& earlier, const JobMeter& meter, Duration wall_time);

// Returns the progress. `rate` is in source frames a second; 0: unknown. `limited_by` is the result
// of LimitMeter; empty: unknown.
v1::JobProgress progress_of(const JobMeter& meter, double rate, const char* stage,
                            std::string_view limited_by = "");

}  // namespace weft::worker
