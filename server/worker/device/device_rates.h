// SPDX-License-Identifier: Apache-2.0
// How fast a device reads and writes memory and does arithmetic: by which the daemon predicts what work costs that the device has not
// learnt yet (server/queue/placement/device_speed.h).
#pragma once

#include "base/status.h"
#include "server/device/device.h"
#include "weft/v1/device_service.pb.h"

namespace weft::worker {

// A copy by a kernel, chains of multiply-adds, and launches with nothing to do, each the best of a few runs. Some milliseconds on a GPU,
// some ten on a CPU. Nothing else runs on the device meanwhile. Errors are the device's.
StatusOr<v1::DeviceRates> measure_rates(device::Device& device);

}  // namespace weft::worker
