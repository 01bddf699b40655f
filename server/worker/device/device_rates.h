// SPDX-License-Identifier: Apache-2.0
// Measures a device's rates of memory traffic and arithmetic. The daemon predicts from them the
// cost of work that is new to the device (server/queue/placement/device_speed.h).
#pragma once

#include "base/status.h"
#include "server/device/device.h"
#include "weft/v1/device_service.pb.h"

namespace weft::worker {

// Measures the rates with a copying kernel, chains of multiply-adds, and launches without work;
// each rate is the best of a few runs. Takes some milliseconds on a GPU, some ten milliseconds on a
// CPU. Nothing else may run on the device. Errors are the device's.
StatusOr<v1::DeviceRates> measure_rates(device::Device& device);

}  // namespace weft::worker
