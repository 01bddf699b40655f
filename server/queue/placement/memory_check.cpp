// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/memory_check.h"

#include <algorithm>
#include <optional>
#include <string>

#include "server/queue/records/device_choice.h"

namespace weft::queue {

Status MemoryCheck::check_devices(const v1::Job& job) const {
  const std::string preference = preference_of(job.settings());
  std::optional<DeviceRoom> largest;
  std::string id;
  for (const auto& [device, slot] : placement_.devices_) {
    if (slot.is_unused || !Placement::permits(preference, device, slot)) continue;
    const DeviceRoom room = placement_.memory_.room_on(device, device_need_of(job.estimate()));
    if (room.kind != DeviceRoom::Kind::kTooSmall) return ok_status();
    if (largest && largest->limit >= room.limit) continue;
    largest = room;
    id = device;
  }
  if (!largest) return ok_status();
  return resource_exhausted(
      "The job can never run here: it needs at least {} of a device's memory, and {} has {} for jobs; make "
      "its "
      "pictures smaller, or permit another device.",
      text_of_bytes(largest->wanted), id, text_of_bytes(largest->limit));
}

int64_t MemoryCheck::least_host_bytes(const v1::Job& job) const {
  const std::string preference = preference_of(job.settings());
  const DeviceNeed need = device_need_of(job.estimate());
  std::optional<int64_t> least;
  for (const auto& [device, slot] : placement_.devices_)
    if (!slot.is_unused && Placement::permits(preference, device, slot) &&
        placement_.memory_.room_on(device, need).kind != DeviceRoom::Kind::kTooSmall)
      least = std::min(host_memory_of(job.estimate(), slot.shares_memory), least.value_or(INT64_MAX));
  return least.value_or(0);
}

}  // namespace weft::queue
