// SPDX-License-Identifier: Apache-2.0
// What the commands share that change jobs one by one: cancel, pause, resume, retry, priority.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/devices.h"
#include "client/jobs.h"
#include "client_cli/context/context.h"

namespace weft::cli {

using Steer = std::function<StatusOr<v1::Job>(client::Jobs& jobs, const std::string& id)>;

// Calls `steer` for every id; prints "<id>: <state>" or the job, and errors; goes on after one.
int steer_jobs(const CommandContext& context, const std::vector<std::string>& ids, const Steer& steer);

// Prints devices after a change of their state.
void print_devices(const CommandContext& context, const std::vector<v1::DeviceStatus>& devices);

// Adds a command `name ID...` that does `steer`.
void add_steering(Command& root, CommandContext& context, const std::string& name, const std::string& summary,
                  const Steer& steer);

}  // namespace weft::cli
