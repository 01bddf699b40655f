// SPDX-License-Identifier: Apache-2.0
// Holds the state shared by the stages of a running job: the first error, which ends all stages,
// and the request to stop.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>

#include "base/status.h"

namespace weft::worker {

// The part that failed. After the loss of a device another attempt is useful, after a broken input
// it is not.
enum class Origin { kInput, kDevice, kOutput, kStop };

// Thread-safe.
class PipelineState {
 public:
  // Ends the job with this error, unless it has already ended, and wakes every waiting stage.
  void fail(Status error, Origin origin) {
    const std::lock_guard lock(mutex_);
    if (!error_.ok()) return;
    error_ = std::move(error);
    origin_ = origin;
    failed_ = true;
    for (const auto& wake : on_failure_) wake();
  }
  // Returns its argument. An error ends the job, as fail() does.
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

  // Requests that the job stops once the current segment is durable.
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

// Calls `wake` when fail() ends the job, or immediately if it has ended already, as long as this
// object exists. `wake` must not call the state.
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
