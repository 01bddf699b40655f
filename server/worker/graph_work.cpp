// SPDX-License-Identifier: Apache-2.0
#include "server/worker/graph_work.h"

namespace weft::worker {

int64_t GraphWork::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

int GraphWork::last_units() const {
  const std::lock_guard lock(mutex_);
  return last_units_;
}

Status GraphWork::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

DeviceWork::Ready GraphWork::ready() { return {graph_.ready(), 1, graph_.is_last(), graph_.is_submitted()}; }

Status GraphWork::start(int units, const filters::SubmittedBatch& after) {
  if (const int taken = graph_.submit(units, after); taken != units)
    return internal_error("The graph takes {} frames of a batch of {}.", taken, units);
  {
    const std::lock_guard lock(mutex_);
    running_.push_back(graph_.last_batch());
    batches_++;
    last_units_ = units;
  }
  changed_();
  return ok_status();
}

filters::SubmittedBatch GraphWork::oldest_batch() {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? filters::SubmittedBatch() : running_.front();
}

StatusOr<Duration> GraphWork::wait() {
  filters::SubmittedBatch batch;
  {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return internal_error("A batch is waited for that was not started.");
    batch = running_.front();
    running_.pop_front();
  }
  return graph_.wait_for(batch);
}

void GraphWork::failed(const Status& error) {
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = error;
  }
  changed_();
}

}  // namespace weft::worker
