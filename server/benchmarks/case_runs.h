// SPDX-License-Identifier: Apache-2.0
// Executes the runs of a case as units in the device's schedule and records their times.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "server/benchmarks/benchmark.h"
#include "server/graph/batches.h"

namespace weft::benchmarks {

// The runs of a case. A run is a unit and a batch. A short case is repeated within a run, so that
// the cost of the timestamps is negligible.
class CaseRuns final : public graph::Batches {
 public:
  // Duration to which a short case is repeated within a run, and the limit of its repetitions.
  static constexpr Duration kShortestRun = std::chrono::microseconds(300);
  static constexpr int kMostRepeats = 200;
  // Creates the runs. `once` is the duration of the case, which determines its repetitions; {}
  // means unknown, and the case is not repeated. With `times_phases`, the phases of each run are
  // timed, and the case is not repeated.
  static StatusOr<std::unique_ptr<CaseRuns>> make(device::Device& device, BenchmarkCase& one, int runs,
                                                  Duration once, bool times_phases);

  // Returns the time per repetition of each run, after all runs have ended.
  const std::vector<double>& seconds() const { return seconds_; }
  // Returns seconds by phase, then by run.
  const std::vector<std::vector<double>>& phase_seconds() const { return phase_seconds_; }

  bool has_capacity() const override { return false; }
  void finish() override {}
  int ready() const override;
  int submit(int max_units, const graph::SubmittedBatch& after) override;
  graph::SubmittedBatch last_batch() const override;
  StatusOr<Duration> wait_for(const graph::SubmittedBatch& batch) override;
  bool is_complete() const override { return true; }
  bool is_submitted() const override;
  bool is_empty() const override;
  std::vector<graph::BatchTime> take_costs() override;

 private:
  CaseRuns(BenchmarkCase& one, int runs, int repeats, bool times_phases)
      : case_(one), runs_(runs), repeats_(repeats), times_phases_(times_phases) {}

  // A running batch.
  struct Run {
    device::Mark begin, end;
    PhaseMarks phases;
  };
  Run enqueue_run();
  StatusOr<Duration> read_times(const Run& run);

  BenchmarkCase& case_;
  const int runs_, repeats_;
  const bool times_phases_;
  std::unique_ptr<device::Stream> stream_;

  mutable std::mutex mutex_;
  int64_t turn_ = 0;
  int submitted_ = 0;
  graph::SubmittedBatch last_;
  std::deque<Run> running_;  // oldest first
  std::vector<double> seconds_;
  std::vector<std::vector<double>> phase_seconds_;
  std::vector<graph::BatchTime> costs_;
};

// Measured limits of a device; 0 if a limit is unknown.
struct DeviceLimits {
  double copy_bytes_per_second = 0;  // bytes read plus bytes written
  double fp32_operations_per_second = 0;
  double tensor_operations_per_second = 0;
  double host_to_device_bytes_per_second = 0;
  double device_to_host_bytes_per_second = 0;
};
// Returns the minimum time of a run in seconds, or 0 if the limit that bounds it is unknown.
double shortest_seconds(const CaseCost& cost, const DeviceLimits& limits);

// Executes all runs: in a worker through the device's loop, in a program immediately (run_at_once).
using RunAll = std::function<Status(CaseRuns& runs)>;
Status run_at_once(CaseRuns& runs);

// Creates the case, checks its result, warms up, and times `runs` runs, then its phases. A wrong
// result or a missing device feature is reported in the measurement's fault, without times. Errors
// are those of the device and of `run_all`.
StatusOr<v1::Measurement> measure(device::Device& device, const PlannedCase& planned, int runs,
                                  const DeviceLimits& limits, const RunAll& run_all);

// Measures the device's limits with one case each. A limit that cannot be measured remains 0.
StatusOr<DeviceLimits> measure_limits(device::Device& device, const RunAll& run_all);

}  // namespace weft::benchmarks
