// SPDX-License-Identifier: Apache-2.0
// The machine's own memory, which jobs on all devices share: how much running jobs may take together, and how much they do by their
// estimates. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "weft/v1/job.pb.h"

namespace weft::queue {

// What a job takes of it on a device, by its estimate. `is_shared`: the device's memory is the machine's.
inline int64_t host_memory_of(const v1::JobEstimate& estimate, bool is_shared) {
  return is_shared ? estimate.shared_bytes() : estimate.host_bytes();
}

// "7.8 GB", "310 MB".
std::string text_of_bytes(int64_t bytes);

class HostMemory {
 public:
  // Together; 0: nothing is known, and everything fits.
  void set_limit(int64_t bytes) { limit_ = bytes; }
  int64_t limit() const { return limit_; }

  // A running job takes so much; again: this much now.
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

  int64_t taken() const { return sum_; }
  int64_t free() const { return std::max<int64_t>(limit_ - sum_, 0); }
  bool fits(int64_t bytes) const { return limit_ == 0 || bytes <= free(); }
  // Once all that runs has ended.
  bool fits_alone(int64_t bytes) const { return limit_ == 0 || bytes <= limit_; }
  // "it needs 7.8 GB of the machine's memory, 3.1 GB of 8 GB are free".
  std::string describe(int64_t bytes) const;

 private:
  int64_t limit_ = 0, sum_ = 0;
  std::unordered_map<std::string, int64_t> taken_;
};

}  // namespace weft::queue
