// SPDX-License-Identifier: Apache-2.0
// What a worker has one of, and its jobs and streams share.
#pragma once

#include "server/device/device.h"
#include "server/filters/device_caches.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/device_tuning.h"

namespace weft::worker {

// `loop` drives `device`.
struct DeviceShare {
  device::Device& device;
  DeviceLoop& loop;
  filters::DeviceCaches& caches;
  bool keeps_frames =
      true;  // what NVDEC decodes stays on the device where it can; false: all goes through memory
  DeviceTuning* tuning = nullptr;  // null: the device has no table
};

}  // namespace weft::worker
