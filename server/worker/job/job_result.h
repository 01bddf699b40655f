// SPDX-License-Identifier: Apache-2.0
// Counters of a job as the messages that people see.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "server/worker/device/job_meter.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// What all attempts did: `earlier` ones, and this one's meter after `wall_time`. Segments and notes are the caller's.
v1::JobResult add_up(const v1::JobResult& earlier, const JobMeter& meter, Duration wall_time);

// `rate`: source frames a second; 0: not known. `limited_by`: of LimitMeter; empty: not known.
v1::JobProgress progress_of(const JobMeter& meter, double rate, const char* stage,
                            std::string_view limited_by = "");

}  // namespace weft::worker
