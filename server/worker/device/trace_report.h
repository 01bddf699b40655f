// SPDX-License-Identifier: Apache-2.0
// Tells the daemon the timeline that a device's loop keeps.
#pragma once

#include <functional>
#include <string>

#include "server/worker/device/device_loop.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// In pieces; the last of them is marked. Of a job: its events, and the decisions of the schedule in their time. A job without events has
// one empty piece.
void tell_trace(const internal::v1::ReadTrace& order, const std::string& device, const DeviceLoop& loop,
                const std::function<void(const internal::v1::FromWorker&)>& send);

}  // namespace weft::worker
