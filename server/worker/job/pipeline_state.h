// SPDX-License-Identifier: Apache-2.0
// What the stages of a running job share: the first error, which ends them all, and the wish to stop.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>

#include "base/status.h"

namespace weft::worker {

// Which part failed: a lost device is worth another attempt, a broken file is not.
enum class Origin { kInput, kDevice, kOutput, kStop };

// Thread-safe.
class PipelineState {
 public:
  // Ends the job with this error, unless it ended before. Wakes every stage that waits.
  void fail(Status error, Origin origin) {
    const std::lock_guard lock(mutex_);
    if (!error_.ok()) return;
    error_ = std::move(error);
    origin_ = origin;
    failed_ = true;
    for (const auto& wake : on_failure_) wake();
  }
  // Returns its argument; an error ends the job, as fail() does.
  Status check(Status status, Origin origin) {
    if (!status.ok()) fail(status, origin);
    return status;
  }
  template <class T>
  StatusOr<T> check(StatusOr<T> result, Origin origin) {
    if (!result.ok()) fail(result.status(), origin);
    return result;
  }
  bool failed() const { return failed_; }
  Status error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  Origin origin() const {
    const std::lock_guard lock(mutex_);
    return origin_;
  }

  // The job is to stop once the segment at hand is durable.
  void stop_at_segment_end() { stop_at_segment_end_ = true; }
  bool stops_at_segment_end() const { return stop_at_segment_end_; }

 private:
  friend class FailureCallback;
  mutable std::mutex mutex_;
  Status error_;
  Origin origin_ = Origin::kStop;
  std::list<std::function<void()>> on_failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> stop_at_segment_end_{false};
};

// Calls `wake` when the job ends by fail(), at once if it has, as long as this lives. `wake` must not call the state.
class FailureCallback {
 public:
  FailureCallback(PipelineState& state, std::function<void()> wake) : state_(state) {
    const std::lock_guard lock(state.mutex_);
    if (!state.error_.ok()) wake();
    own_ = state.on_failure_.insert(state.on_failure_.end(), std::move(wake));
  }
  ~FailureCallback() {
    const std::lock_guard lock(state_.mutex_);
    state_.on_failure_.erase(own_);
  }
  FailureCallback(const FailureCallback&) = delete;
  FailureCallback& operator=(const FailureCallback&) = delete;

 private:
  PipelineState& state_;
  std::list<std::function<void()>>::iterator own_;
};

}  // namespace weft::worker
