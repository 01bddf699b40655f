// SPDX-License-Identifier: Apache-2.0
#include "server/benchmarks/case_runs.h"

#include <algorithm>
#include <cmath>

namespace weft::benchmarks {
namespace {

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

int repeats_for(Duration once) {
  if (once <= Duration::zero()) return 1;
  return int(
      std::clamp<int64_t>((CaseRuns::kShortestRun + once - Duration(1)) / once, 1, CaseRuns::kMostRepeats));
}

}  // namespace

StatusOr<std::unique_ptr<CaseRuns>> CaseRuns::make(device::Device& device, BenchmarkCase& one, int runs,
                                                   Duration once, bool times_phases) {
  const int repeats = times_phases ? 1 : repeats_for(once);
  std::unique_ptr<CaseRuns> made(new CaseRuns(one, runs, repeats, times_phases));
  ASSIGN_OR_RETURN(made->stream_, device.make_stream(device::StreamPriority::kLow));
  made->phase_seconds_.resize(one.phases().size());
  return made;
}

int CaseRuns::ready() const {
  const std::lock_guard lock(mutex_);
  return runs_ - submitted_;
}

// Runs are executed one after the other on a stream, since overlapping runs would disturb each
// other's times.
int CaseRuns::submit(int max_units, const graph::SubmittedBatch& after) {
  const std::lock_guard lock(mutex_);
  if (max_units < 1 || submitted_ == runs_) return 0;
  submitted_++;
  if (case_.works_on_host()) return 1;  // executed by wait_for()
  if (after.stream != nullptr && after.stream != stream_.get()) stream_->wait_for(*after.stream, after.end);
  running_.push_back(enqueue_run());
  last_ = {stream_.get(), running_.back().begin, running_.back().end};
  return 1;
}

CaseRuns::Run CaseRuns::enqueue_run() {
  Run run;
  run.begin = stream_->mark();
  for (int i = 0; i < repeats_; i++) case_.enqueue(*stream_, turn_++, times_phases_ ? &run.phases : nullptr);
  run.end = stream_->mark();
  return run;
}

graph::SubmittedBatch CaseRuns::last_batch() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

// Batches end in order, so that the argument is not needed.
StatusOr<Duration> CaseRuns::wait_for(const graph::SubmittedBatch&) {
  Run run;
  if (case_.works_on_host()) {
    run = enqueue_run();
  } else {
    const std::lock_guard lock(mutex_);
    run = std::move(running_.front());
    running_.pop_front();
  }
  RETURN_IF_ERROR(stream_->wait(run.end));
  return read_times(run);
}

StatusOr<Duration> CaseRuns::read_times(const Run& run) {
  ASSIGN_OR_RETURN(const Duration by_stream, stream_->elapsed(run.begin, run.end));
  ASSIGN_OR_RETURN(const Duration time, case_.take_time(by_stream));
  const std::lock_guard lock(mutex_);
  device::Mark from = run.begin;
  for (size_t i = 0; i < run.phases.size() && i < phase_seconds_.size(); i++) {
    ASSIGN_OR_RETURN(const Duration phase, stream_->elapsed(from, run.phases[i]));
    phase_seconds_[i].push_back(seconds_of(phase));
    from = run.phases[i];
  }
  seconds_.push_back(seconds_of(time) / repeats_);
  costs_.push_back({1, time});
  return time;
}

bool CaseRuns::is_submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_ == runs_;
}

bool CaseRuns::is_empty() const {
  const std::lock_guard lock(mutex_);
  return int(seconds_.size()) == runs_;
}

std::vector<graph::BatchTime> CaseRuns::take_costs() {
  const std::lock_guard lock(mutex_);
  return std::exchange(costs_, {});
}

Status run_at_once(CaseRuns& runs) {
  while (!runs.is_submitted()) {
    if (runs.submit(1, {}) == 0) return internal_error("No run of the case is ready.");
    RETURN_IF_ERROR(runs.wait_for(runs.last_batch()).status());
  }
  return ok_status();
}

}  // namespace weft::benchmarks
