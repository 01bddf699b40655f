// SPDX-License-Identifier: Apache-2.0
// Selects the estimate and the runner of a job by its kind.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Both functions select by the kind of the specification and read the first input, if there is one,
// so they may wait for a file system. INVALID_ARGUMENT: the kind does not accept the input.
// UNIMPLEMENTED: the kind is unknown.

// Estimates a job before it runs. Errors name the field at fault.
StatusOr<v1::JobEstimate> estimate_job(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

// Creates the runner of a job. `share` and `events` must outlive it.
StatusOr<std::unique_ptr<JobRunner>> make_runner(JobOrder order, const DeviceShare& share, JobEvents& events);

}  // namespace weft::worker
