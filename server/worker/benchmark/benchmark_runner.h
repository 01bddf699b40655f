// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a benchmark job: measures the device's limits, then one case after the other.
// The device's loop starts each run by its schedule. A job has no files; its result contains the
// measurements. An attempt after a stop repeats all cases.
#pragma once

#include <mutex>
#include <vector>

#include "server/benchmarks/case_runs.h"
#include "server/worker/job/job_runner.h"

namespace weft::worker {

// Estimates a benchmark job. Errors name the field at fault.
StatusOr<v1::JobEstimate> estimate_benchmark(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

class BenchmarkRunner final : public JobRunner {
 public:
  // `share` and `events` must outlive the runner.
  BenchmarkRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  Status work() override { return state_.check(attempt(), Origin::kDevice); }
  void add_properties(v1::JobResult& result) const override;
  Status attempt();
  Status measure_all(const std::vector<benchmarks::PlannedCase>& planned);
  Status run_all(benchmarks::CaseRuns& runs);
  void begin_conditions();
  void end_conditions();

  mutable std::mutex mutex_;
  v1::BenchmarkResult result_;     // guarded by mutex_
  int64_t own_batches_ = 0;        // batches of this job on the device
  schedule::DeviceTotals before_;  // totals of all sources of the device when the attempt began
};

}  // namespace weft::worker
