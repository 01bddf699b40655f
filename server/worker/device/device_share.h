// SPDX-License-Identifier: Apache-2.0
// What a worker has one of, and its jobs and streams share.
#pragma once

#include "server/device/device.h"
#include "server/filters/device_caches.h"
#include "server/worker/device/device_loop.h"

namespace weft::worker {

// `loop` drives `device`.
struct DeviceShare {
  device::Device& device;
  DeviceLoop& loop;
  filters::DeviceCaches& caches;
};

}  // namespace weft::worker
