// SPDX-License-Identifier: Apache-2.0
// Counts the memory of running jobs by their estimates, against a common limit: the host memory of
// the jobs on all devices, or the memory of a device (device_memory.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/v1/job.pb.h"

namespace weft::queue {

// Returns the estimated host memory of a job on a device. `is_shared`: the device uses the host's
// memory.
inline int64_t host_memory_of(const v1::JobEstimate& estimate, bool is_shared) {
  return is_shared ? estimate.shared_bytes() : estimate.host_bytes();
}

// Returns the memory of a running job, with the segments that it may render at the same time.
inline int64_t running_memory_of(const v1::Job& job, bool is_shared) {
  const int segments = job.attempts().empty() ? 1 : job.attempts().rbegin()->segments_at_once();
  return host_memory_of(job.estimate(), is_shared) +
         std::max(segments - 1, 0) * job.estimate().segment_bytes();
}

// Returns a text such as "7.8 GB" or "310 MB".
std::string text_of_bytes(int64_t bytes);

class MemoryBudget {
 public:
  // Sets the limit for all running jobs together. 0: unknown; every job fits.
  void set_limit(int64_t bytes) { limit_ = bytes; }
  // Sets the bytes that are known to be in use. They count in place of those of running jobs if
  // they are more.
  void set_used(int64_t bytes) { used_ = bytes; }
  int64_t limit() const { return limit_; }

  // Sets the memory of a running job. A repeated call replaces the value.
  void take(const std::string& job_id, int64_t bytes) {
    give_back(job_id);
    taken_[job_id] = bytes;
    sum_ += bytes;
  }
  void give_back(const std::string& job_id) {
    const auto found = taken_.find(job_id);
    if (found == taken_.end()) return;
    sum_ -= found->second;
    taken_.erase(found);
  }

  int64_t taken() const { return std::max(sum_, used_); }
  int64_t free() const { return std::max<int64_t>(limit_ - taken(), 0); }
  bool fits(int64_t bytes) const { return limit_ == 0 || bytes <= free(); }
  // Returns true if the bytes fit once all running jobs have ended.
  bool fits_alone(int64_t bytes) const { return limit_ == 0 || bytes <= limit_; }
  // Limit of the segments of a video that a job renders at the same time, and the share of the free
  // memory that the further ones may take: 1 / kSegmentsShare.
  static constexpr int kMostSegments = 8;
  static constexpr int64_t kSegmentsShare = 2;
  // Returns the number of segments that a job of `bytes` may render at the same time;
  // `segment_bytes` is that of JobEstimate.
  int segments_at_once(int64_t bytes, int64_t segment_bytes) const;
  // Returns a clause such as "it needs 7.8 GB of the machine's memory, 3.1 GB of 8 GB are free".
  // `memory` is "the machine's memory" there.
  std::string describe(int64_t bytes, std::string_view memory = "the machine's memory") const;

 private:
  int64_t limit_ = 0, sum_ = 0, used_ = 0;
  std::unordered_map<std::string, int64_t> taken_;
};

}  // namespace weft::queue
