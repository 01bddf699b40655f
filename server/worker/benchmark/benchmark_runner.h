// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a job of benchmarks: the device's limits, then case after case, each run started by the device's loop when its
// turn comes. A job has no files; what was measured is its result. An attempt that is stopped measures everything again.
#pragma once

#include <mutex>
#include <vector>

#include "server/benchmarks/case_runs.h"
#include "server/worker/job/job_runner.h"

namespace weft::worker {

// What a job of benchmarks takes.
StatusOr<v1::JobEstimate> estimate_benchmark(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

class BenchmarkRunner final : public JobRunner {
 public:
  // What is shared, and `events`, outlive the runner.
  BenchmarkRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  Status work() override { return state_.check(attempt(), Origin::kDevice); }
  void add_facts(v1::JobResult& result) const override;
  Status attempt();
  Status measure_all(const std::vector<benchmarks::PlannedCase>& planned);
  Status run_all(benchmarks::CaseRuns& runs);
  void begin_conditions();
  void end_conditions();

  mutable std::mutex mutex_;
  v1::BenchmarkResult result_;     // guarded by mutex_
  int64_t own_batches_ = 0;        // on the device
  schedule::DeviceTotals before_;  // of everybody there
};

}  // namespace weft::worker
