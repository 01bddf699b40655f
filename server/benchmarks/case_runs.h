// SPDX-License-Identifier: Apache-2.0
// Runs of a case as units for the device's schedule, and what they took.
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

// Some runs of a case, each a unit and a batch of its own. A short case is repeated in a run, so that the timestamps' own time does not
// count.
class CaseRuns final : public graph::Batches {
 public:
  // Repeats as many times as last kShortestRun together, where one takes `once`; {}: it is not known, and none is repeated.
  static constexpr Duration kShortestRun = std::chrono::microseconds(300);
  static constexpr int kMostRepeats = 200;
  // With `times_phases` a run's phases are timed, and it is not repeated.
  static StatusOr<std::unique_ptr<CaseRuns>> make(device::Device& device, BenchmarkCase& one, int runs,
                                                  Duration once, bool times_phases);

  // After all have ended: of each the time that the case took once.
  const std::vector<double>& seconds() const { return seconds_; }
  // [phase][run]
  const std::vector<std::vector<double>>& phase_seconds() const { return phase_seconds_; }

  bool has_room() const override { return false; }
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

  // What runs and is not waited for yet.
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

// What limits of a device were found; 0: not known.
struct DeviceLimits {
  double copy_bytes_per_second = 0;  // read and written
  double fp32_operations_per_second = 0;
  double tensor_operations_per_second = 0;
  double host_to_device_bytes_per_second = 0;
  double device_to_host_bytes_per_second = 0;
};
// The time that a run takes at least; 0: not known.
double shortest_seconds(const CaseCost& cost, const DeviceLimits& limits);

// Has all runs done: in a worker by the loop of its device, in a program at once (run_at_once).
using RunAll = std::function<Status(CaseRuns& runs)>;
Status run_at_once(CaseRuns& runs);

// Makes the case, checks its result, warms up and times so many runs, then its phases. What is wrong, or what the device lacks, is in
// the measurement's fault, and was not timed. Errors are of the device and of `run_all`.
StatusOr<v1::Measurement> measure(device::Device& device, const PlannedCase& planned, int runs,
                                  const DeviceLimits& limits, const RunAll& run_all);

// Cases that tell the device's limits, in turn; what cannot be told stays 0.
StatusOr<DeviceLimits> measure_limits(device::Device& device, const RunAll& run_all);

}  // namespace weft::benchmarks
