// SPDX-License-Identifier: Apache-2.0
// Collects the objects of a worker that its jobs and streams share.
#pragma once

#include <string>
#include <vector>

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
  // whether frames of NVDEC stay on the device if possible; otherwise they pass through host memory
  bool keeps_frames = true;
  DeviceTuning* tuning = nullptr;  // null: the device has no table
  // number of segments of a video that a job renders at the same time; 0: chosen by measurement
  int lanes = 0;
  std::string scratch_folder{};  // a private folder of the process; empty: none
  // processors of the threads of jobs (base/thread_share.h); empty: all
  std::vector<int> processors{};
};

}  // namespace weft::worker
