// SPDX-License-Identifier: Apache-2.0
// Looks at launches of jobs and streams now and then, and may run what they run again in spare time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "server/device/device.h"
#include "server/graph/network.h"

namespace weft::worker {

// What a pipeline runs.
struct Workload {
  std::string name;  // for people: "bwdif,resize=1280x720"
  // The network once more, not prepared; any thread, also after the job or stream has ended. Holds what it needs.
  std::function<StatusOr<graph::Network>()> expand;
  int batch = 1;  // units at a time, as planned
};

class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  // For the pipeline that runs this; it lives no longer than this does.
  virtual std::shared_ptr<device::LaunchObserver> watch(Workload work) = 0;
};

}  // namespace weft::worker
