// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_properties.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "server/channel/status_message.h"

namespace weft::worker {
namespace {

v1::DeviceKind kind_of(device::BackendKind kind) {
  switch (kind) {
    case device::BackendKind::kCpu:
      return v1::DEVICE_KIND_CPU;
    case device::BackendKind::kVulkan:
      return v1::DEVICE_KIND_VULKAN;
    case device::BackendKind::kCuda:
      return v1::DEVICE_KIND_CUDA;
    case device::BackendKind::kNull:
      break;
  }
  return v1::DEVICE_KIND_UNSPECIFIED;
}

}  // namespace

v1::DeviceStatus to_message(const device::DeviceInfo& info) {
  v1::DeviceStatus message;
  message.set_id(info.id);
  message.set_kind(kind_of(info.kind));
  message.set_name(channel::as_utf8(info.name));
  message.set_uuid(info.uuid);
  message.set_driver(channel::as_utf8(info.driver));
  message.set_memory_bytes(int64_t(info.memory_bytes));
  message.set_kernel_code(info.code);
  return message;
}

v1::DeviceReadings to_message(const device::Readings& readings) {
  v1::DeviceReadings message;
  if (readings.graphics_clock_mhz) message.set_graphics_clock_mhz(*readings.graphics_clock_mhz);
  if (readings.memory_clock_mhz) message.set_memory_clock_mhz(*readings.memory_clock_mhz);
  if (readings.clock_limited) message.set_clock_limited(*readings.clock_limited);
  if (readings.temperature_celsius) message.set_temperature_celsius(*readings.temperature_celsius);
  if (readings.power_watts) message.set_power_watts(*readings.power_watts);
  if (readings.power_limit_watts) message.set_power_limit_watts(*readings.power_limit_watts);
  if (readings.memory_used_bytes) message.set_memory_used_bytes(int64_t(*readings.memory_used_bytes));
  if (readings.memory_other_bytes) message.set_memory_other_bytes(int64_t(*readings.memory_other_bytes));
  return message;
}

internal::v1::DeviceList list_all_devices() {
  internal::v1::DeviceList list;
  std::vector<std::string> notes;
  for (const device::DeviceInfo& info : device::list_devices(&notes)) *list.add_devices() = to_message(info);
  for (const std::string& note : notes) list.add_notes(channel::as_utf8(note));
  return list;
}

int decoder_ordinal(const device::DeviceInfo& info) {
  constexpr std::string_view kPrefix = "cuda:";
  if (info.kind != device::BackendKind::kCuda || !info.id.starts_with(kPrefix)) return -1;
  int ordinal = -1;
  std::from_chars(info.id.data() + kPrefix.size(), info.id.data() + info.id.size(), ordinal);
  return ordinal;
}

std::string as_text(const internal::v1::DeviceList& list) {
  std::string text;
  for (const v1::DeviceStatus& device : list.devices())
    text += fmt::format("{:<10} {} ({}, {} MiB{}{})\n", device.id(), device.name(), device.driver(),
                        device.memory_bytes() >> 20, device.kernel_code().empty() ? "" : ", ",
                        device.kernel_code());
  for (const std::string& note : list.notes()) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace weft::worker
