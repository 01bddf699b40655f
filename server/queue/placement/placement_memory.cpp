// SPDX-License-Identifier: Apache-2.0
// Implements the functions of Placement for memory of the host and of devices.
#include <algorithm>
#include <string>

#include "server/queue/placement/placement.h"
#include "server/queue/records/device_choice.h"

namespace weft::queue {

// Checks whether the job fits in the memory of the host and of the device. A job that never fits,
// or that waits for memory of other programs, does not block other jobs.
Placement::Memory Placement::probe_memory(const std::string& id, const WaitingEntry& queued,
                                          const std::string& device, TimePoint now) {
  const int64_t bytes = queued.bytes_on(devices_.at(device));
  const DeviceRoom room = memory_.room_on(device, queued.kind->memory);
  const bool lacks_device_memory = room.kind != DeviceRoom::Kind::kFits;
  if (!lacks_device_memory && memory_.host().fits(bytes)) return Memory::kFits;
  ShortOfMemory& waits = short_of_memory_.try_emplace(id, ShortOfMemory{now}).first->second;
  waits.bytes = bytes;
  waits.device = lacks_device_memory ? device : "";
  due_ = std::min(due_, now + kMemoryProbeInterval);
  const bool may_fit =
      lacks_device_memory ? room.kind == DeviceRoom::Kind::kTaken : memory_.host().fits_alone(bytes);
  if (now < waits.since + kPassedForMemory || !may_fit) return Memory::kPassedBy;
  return lacks_device_memory ? Memory::kDeviceIsKept : Memory::kNobodyPasses;
}

// Returns the missing memory, or an empty string if the job does not wait for memory.
std::string Placement::memory_reason(const std::string& id, const WaitingEntry& queued) const {
  const auto waits = short_of_memory_.find(id);
  if (waits == short_of_memory_.end()) return "";
  const std::string& device = waits->second.device;
  if (device.empty()) {
    if (memory_.host().fits(waits->second.bytes)) return "";
    return fmt::format("host memory: {}", memory_.host().describe(waits->second.bytes));
  }
  const DeviceRoom room = memory_.room_on(device, queued.kind->memory);
  return room.kind == DeviceRoom::Kind::kFits ? "" : fmt::format("memory of {}: {}", device, describe(room));
}

}  // namespace weft::queue
