// SPDX-License-Identifier: Apache-2.0
// Holds the memory of the host and of all devices, with the bytes of running jobs. No side effects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "server/queue/placement/device_memory.h"
#include "server/queue/placement/memory_budget.h"

namespace weft::queue {

class MemoryPlan {
 public:
  MemoryBudget& host() { return host_; }
  const MemoryBudget& host() const { return host_; }
  // Returns the memory of a device, which may be absent.
  DeviceMemory& device(const std::string& id) { return devices_[id]; }
  DeviceRoom room_on(const std::string& device, const DeviceNeed& need) const {
    const DeviceMemory* memory = find(device);
    return memory == nullptr ? DeviceRoom() : memory->room_for(need);
  }
  // Returns the device memory for further jobs and streams, or nullopt if it is unknown.
  std::optional<int64_t> free_on(const std::string& device) const {
    const DeviceMemory* memory = find(device);
    return memory == nullptr ? std::nullopt : memory->free();
  }
  // Returns the memory for a job that fits on the device. `host_bytes` and `segment_bytes` are its
  // host memory there, as in JobEstimate. `most_segments` limits the segments at the same time.
  MemoryGrant grant_on(const std::string& device, const DeviceNeed& need, int64_t host_bytes,
                       int64_t segment_bytes, int most_segments) const {
    const int segments = std::min(host_.segments_at_once(host_bytes, segment_bytes), most_segments);
    const DeviceMemory* memory = find(device);
    return memory == nullptr ? MemoryGrant{.segments_at_once = segments} : memory->grant(need, segments);
  }

  // Set and remove the bytes of a running job or task on a device.
  void take(const std::string& device, const std::string& key, int64_t host_bytes, int64_t device_bytes) {
    host_.take(key, host_bytes);
    devices_[device].take(key, device_bytes);
  }
  void give_back(const std::string& device, const std::string& key) {
    host_.give_back(key);
    devices_[device].give_back(key);
  }

 private:
  const DeviceMemory* find(const std::string& device) const {
    const auto found = devices_.find(device);
    return found == devices_.end() ? nullptr : &found->second;
  }

  MemoryBudget host_;
  std::map<std::string, DeviceMemory> devices_;  // also of absent devices
};

}  // namespace weft::queue
