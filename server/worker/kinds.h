// SPDX-License-Identifier: Apache-2.0
// The kinds of jobs there are: one table says how a job of each is estimated and who runs it.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Both go by the kind of the specification, and look into the first of the inputs, where there is one: that may wait for a file
// system. INVALID_ARGUMENT: it is not what the kind takes. UNIMPLEMENTED: no such kind is known.

// What the job will read and write, found before it runs. Errors name the field that is to blame.
StatusOr<v1::JobEstimate> estimate_job(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

// What is shared, and `events`, outlive the runner.
StatusOr<std::unique_ptr<JobRunner>> make_runner(JobOrder order, const DeviceShare& share, JobEvents& events);

}  // namespace weft::worker
