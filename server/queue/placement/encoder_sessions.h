// SPDX-License-Identifier: Apache-2.0
// Counts the sessions of each GPU's video encoder (NVENC) that running jobs may have open, against
// the limit of each GPU. A refused session shows the limit of a GPU; it is remembered until the end
// of the daemon, or until a user resumes the device.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

#include "base/status.h"

namespace weft::queue {

class EncoderSessions {
 public:
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  // Sets the configured limit of every GPU. 0: none.
  void set_limit(int sessions) { configured_ = sessions > 0 ? sessions : kNoLimit; }
  // A GPU refused a further session while `open`, at least 1, were open.
  void learn(const std::string& gpu, int open) { learnt_[gpu] = std::min(open, learnt_limit(gpu)); }
  void forget(const std::string& gpu) { learnt_.erase(gpu); }

  // Sets the sessions of a job or task that runs on `device`. A repeated call replaces the number.
  void take(const std::string& key, const std::string& gpu, const std::string& device, int sessions) {
    give_back(key);
    if (sessions > 0) taken_[key] = {gpu, device, sessions};
  }
  void give_back(const std::string& key) { taken_.erase(key); }

  int limit(const std::string& gpu) const { return std::min(configured_, learnt_limit(gpu)); }
  int taken(const std::string& gpu) const;
  // Returns the sessions of jobs that run on other devices than `device`.
  int taken_elsewhere(const std::string& gpu, const std::string& device) const;
  // Returns true if a job with `sessions` for each segment may start.
  bool fits(const std::string& gpu, int sessions) const {
    return sessions == 0 || taken(gpu) + sessions <= limit(gpu);
  }
  // Returns the number of segments, at most `segments`, that a starting job may render at the same
  // time: further ones take half of the sessions that are then free.
  int segments_at_once(const std::string& gpu, int sessions, int segments) const;
  // Returns a clause such as "jobs have 3 of 3 sessions of the encoder of cuda:0 (learnt when it
  // refused a further one; `weft resume cuda:0` forgets this)".
  std::string describe(const std::string& gpu) const;

 private:
  struct Taken {
    std::string gpu, device;
    int sessions = 0;
  };
  int learnt_limit(const std::string& gpu) const {
    const auto found = learnt_.find(gpu);
    return found == learnt_.end() ? kNoLimit : found->second;
  }

  int configured_ = kNoLimit;
  std::map<std::string, int> learnt_;             // by GPU
  std::unordered_map<std::string, Taken> taken_;  // by job or task
};

}  // namespace weft::queue
