// SPDX-License-Identifier: Apache-2.0
// Derives the configuration of the daemon's parts from its configuration and the machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/queue/queue.h"
#include "server/queue/supervision/supervisor.h"

namespace weft {

// Returns those of the devices `ids` that the configuration selects, or all if it selects none.
std::vector<std::string> devices_in_use(const Config& config, const std::vector<std::string>& ids);

queue::QueueConfig queue_config(const Config& config);

// Returns the configuration of the supervisor. `rules` contains the permitted folders of clients'
// files.
queue::SupervisorConfig supervisor_config(const Config& config, std::shared_ptr<const queue::FileRules> rules,
                                          const queue::StoreIdentity& store);

// Creates the workers' control group if the machine permits it. Call once.
void limit_memory(const Config& config, queue::WorkerSettings& workers);

}  // namespace weft
