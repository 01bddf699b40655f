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

// One at a time: two that overlap would time each other.
int CaseRuns::ready() const {
  const std::lock_guard lock(mutex_);
  return submitted_ < runs_ && int(seconds_.size()) == submitted_ ? 1 : 0;
}

int CaseRuns::submit(int max_units, const filters::SubmittedBatch& after) {
  const std::lock_guard lock(mutex_);
  if (max_units < 1 || submitted_ == runs_ || int(seconds_.size()) < submitted_) return 0;
  if (after.stream != nullptr) stream_->wait_for(*after.stream, after.end);
  last_.stream = stream_.get();
  last_.begin = stream_->mark();
  last_.end = case_.works_on_host() ? last_.begin : enqueue_run();
  submitted_++;
  return 1;
}

device::Mark CaseRuns::enqueue_run() {
  phase_marks_.clear();
  for (int i = 0; i < repeats_; i++)
    case_.enqueue(*stream_, turn_++, times_phases_ ? &phase_marks_ : nullptr);
  return stream_->mark();
}

filters::SubmittedBatch CaseRuns::last_batch() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

StatusOr<Duration> CaseRuns::wait_for(const filters::SubmittedBatch& batch) {
  const device::Mark end = case_.works_on_host() ? enqueue_run() : batch.end;
  RETURN_IF_ERROR(stream_->wait(end));
  ASSIGN_OR_RETURN(const Duration time, stream_->elapsed(batch.begin, end));
  const std::lock_guard lock(mutex_);
  device::Mark from = batch.begin;
  for (size_t i = 0; i < phase_marks_.size() && i < phase_seconds_.size(); i++) {
    ASSIGN_OR_RETURN(const Duration phase, stream_->elapsed(from, phase_marks_[i]));
    phase_seconds_[i].push_back(seconds_of(phase));
    from = phase_marks_[i];
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

std::vector<filters::BatchTime> CaseRuns::take_costs() {
  const std::lock_guard lock(mutex_);
  return std::exchange(costs_, {});
}

Status run_at_once(filters::Batches& runs) {
  while (!runs.is_submitted()) {
    if (runs.submit(1, {}) == 0) return internal_error("No run of the case is ready.");
    RETURN_IF_ERROR(runs.wait_for(runs.last_batch()).status());
  }
  return ok_status();
}

}  // namespace weft::benchmarks
