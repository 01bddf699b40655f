// SPDX-License-Identifier: Apache-2.0
// How many watches of jobs, devices and logs each user has open.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "server/queue/records/caller.h"

namespace weft::rpc {

// Thread-safe.
class WatchPlaces {
 public:
  // Kept for as long as the watch is open; may outlive this. RESOURCE_EXHAUSTED: the user has as many as he may (kMostWatchesOfAUser).
  // Callers of whom nothing is known share the queue's own limit alone.
  StatusOr<std::shared_ptr<void>> take(const queue::Caller& caller);

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int> of_user;
  };
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace weft::rpc
