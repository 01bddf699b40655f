// SPDX-License-Identifier: Apache-2.0
// What the stages of a running job share: the first error, which ends them all, and the wish to stop.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

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
  bool failed() const { return failed_; }
  Status error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  Origin origin() const {
    const std::lock_guard lock(mutex_);
    return origin_;
  }

  // `wake` is called when the job ends by fail(), at once if it has. It must not call back; it lives until
  // clear_wakers() has returned.
  void on_failure(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    if (!error_.ok()) wake();
    on_failure_.push_back(std::move(wake));
  }
  void clear_wakers() {
    const std::lock_guard lock(mutex_);
    on_failure_.clear();
  }

  // The job is to stop once the segment at hand is durable.
  void stop_at_segment_end() { stop_at_segment_end_ = true; }
  bool stops_at_segment_end() const { return stop_at_segment_end_; }

 private:
  mutable std::mutex mutex_;
  Status error_;
  Origin origin_ = Origin::kStop;
  std::vector<std::function<void()>> on_failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> stop_at_segment_end_{false};
};

}  // namespace weft::worker
