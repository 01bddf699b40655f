// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a device's loop to the daemon.
#pragma once

#include <functional>
#include <string>

#include "server/worker/device/device_loop.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// Sends a trace in parts; the last part is marked. The trace of a job has the job's events and the
// schedule's decisions during that time. A job without events has one empty part.
void send_trace(const internal::v1::ReadTrace& order, const std::string& device, const DeviceLoop& loop,
                const std::function<void(const internal::v1::FromWorker&)>& send);

}  // namespace weft::worker
