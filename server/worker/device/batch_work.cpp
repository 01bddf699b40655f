// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/batch_work.h"

namespace weft::worker {

int64_t BatchWork::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

int BatchWork::last_units() const {
  const std::lock_guard lock(mutex_);
  return last_units_;
}

Status BatchWork::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

DeviceWork::Ready BatchWork::ready() {
  return {source_.ready(), 1, source_.is_complete(), source_.is_submitted()};
}

Status BatchWork::start(int units, const graph::SubmittedBatch& after) {
  if (const int taken = source_.submit(units, after); taken != units)
    return internal_error("The work takes {} frames of a batch of {}.", taken, units);
  {
    const std::lock_guard lock(mutex_);
    running_.push_back({source_.last_batch(), units});
    batches_++;
    last_units_ = units;
  }
  changed_();
  return ok_status();
}

graph::SubmittedBatch BatchWork::oldest_batch() {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? graph::SubmittedBatch() : running_.front().batch;
}

StatusOr<Duration> BatchWork::wait() {
  Running running;
  {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return internal_error("A batch is waited for that was not started.");
    running = running_.front();
    running_.pop_front();
  }
  StatusOr<Duration> waited = source_.wait_for(running.batch);
  const std::lock_guard lock(mutex_);
  if (waited.ok()) units_done_ += running.units;
  return waited;
}

int64_t BatchWork::units_done() const {
  const std::lock_guard lock(mutex_);
  return units_done_;
}

void BatchWork::failed(const Status& error) {
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = error;
  }
  changed_();
}

}  // namespace weft::worker
