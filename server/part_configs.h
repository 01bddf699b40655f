// SPDX-License-Identifier: Apache-2.0
// What the daemon's parts are told, of its configuration and of the machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/queue/queue.h"
#include "server/queue/supervision/supervisor.h"

namespace weft {

// Of the devices that are there those that the configuration names; all where it names none.
std::vector<std::string> devices_in_use(const Config& config, const std::vector<std::string>& ids);

queue::QueueConfig queue_config(const Config& config);

// `rules`: where clients' files may lie.
queue::SupervisorConfig supervisor_config(const Config& config, std::shared_ptr<const queue::FileRules> rules,
                                          const queue::StoreIdentity& store);

// Makes the control group of the workers, where the machine lets it; once.
void limit_memory(const Config& config, queue::WorkerSettings& workers);

}  // namespace weft
