// SPDX-License-Identifier: Apache-2.0
// Counts the open watches of jobs, devices and logs of each user.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "server/queue/records/caller.h"

namespace weft::rpc {

// Thread-safe.
class WatchQuota {
 public:
  // Returns a permit, which is to be kept as long as the watch is open. The permit may outlive this
  // object. RESOURCE_EXHAUSTED: the user has kMostWatchesOfAUser watches. Callers without a known
  // user are subject only to the queue's limit for all users.
  StatusOr<std::shared_ptr<void>> take(const queue::Caller& caller);

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int> of_user;
  };
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace weft::rpc
