// SPDX-License-Identifier: Apache-2.0
// Lists the devices, and opens a device through the back end of its kind.
#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "server/device/backend.h"
#include "server/device/cpu/device.h"
#include "server/device/cpu_info.h"
#include "server/device/cuda/device.h"
#include "server/device/cuda/nvml.h"
#include "server/device/cuda/recording.h"
#include "server/device/external_load_watch.h"
#include "server/device/null/device.h"
#include "server/device/readings.h"
#include "server/device/recording.h"
#include "server/device/vulkan/device.h"

namespace weft::device {
namespace {

void add(Found found, std::vector<DeviceInfo>* devices, std::vector<std::string>* notes) {
  std::ranges::move(found.devices, std::back_inserter(*devices));
  if (notes != nullptr) std::ranges::move(found.notes, std::back_inserter(*notes));
}

std::vector<DeviceInfo> best_first(std::vector<DeviceInfo> devices) {
  const auto rank = [](const DeviceInfo& info) {
    if (info.kind == BackendKind::kCuda) return 0;
    if (info.kind == BackendKind::kCpu) return 2;
    return info.is_software ? 3 : 1;
  };
  std::ranges::stable_sort(devices, {}, rank);
  return devices;
}

std::string ids_of(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string_view> ids;
  for (const DeviceInfo& info : devices) ids.push_back(info.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

// Returns the devices named in WEFT_DEVICES, in its order.
std::vector<DeviceInfo> chosen(const std::vector<DeviceInfo>& all, std::string_view wanted,
                               std::vector<std::string>* notes) {
  std::vector<DeviceInfo> devices;
  while (!wanted.empty()) {
    const std::string_view id = wanted.substr(0, wanted.find(','));
    wanted.remove_prefix(std::min(wanted.size(), id.size() + 1));
    const auto found = std::ranges::find(all, id, &DeviceInfo::id);
    if (found != all.end()) {
      devices.push_back(*found);
    } else if (notes != nullptr) {
      notes->push_back(
          fmt::format("WEFT_DEVICES names '{}', which is not here; there are: {}.", id, ids_of(all)));
    }
  }
  return devices;
}

}  // namespace

std::vector<DeviceInfo> list_devices_and_twins(std::vector<std::string>* notes) {
  std::vector<DeviceInfo> devices;
  add(cuda::find_devices(), &devices, notes);
  add(vulkan::find_devices(), &devices, notes);
  add(cpu::find_devices(), &devices, notes);
  return best_first(std::move(devices));
}

const DeviceInfo& cpu_info() {
  static const DeviceInfo info = cpu::find_devices().devices.at(0);
  return info;
}

std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes) {
  const std::vector<DeviceInfo> all = list_devices_and_twins(notes);
  if (const char* wanted = std::getenv("WEFT_DEVICES"); wanted != nullptr && *wanted != 0)
    return chosen(all, wanted, notes);
  std::vector<DeviceInfo> devices;
  for (const DeviceInfo& info : all)
    if (std::ranges::find(devices, info.uuid, &DeviceInfo::uuid) == devices.end()) devices.push_back(info);
  return devices;
}

namespace {

StatusOr<const cuda::NvmlApi*> driver_of(const DeviceInfo& info) {
  if (info.is_software || info.uuid.empty() || info.kind == BackendKind::kNull)
    return unavailable("No driver tells how the device {} is, or who uses it.", info.id);
  return cuda::load_nvml();
}

}  // namespace

StatusOr<std::unique_ptr<ExternalLoadWatch>> watch_external_load(const DeviceInfo& info) {
  ASSIGN_OR_RETURN(const cuda::NvmlApi* api, driver_of(info));
  return cuda::watch_through_nvml(*api, info.uuid, ::getpid());
}

namespace {

// Reads the sensors, if there are any, and the memory of other programs.
class ReadingsOfDevice final : public ReadingsSource {
 public:
  ReadingsOfDevice(const Device& device, std::unique_ptr<ReadingsSource> sensors)
      : device_(device), sensors_(std::move(sensors)) {}

  // The own bytes are read first: a buffer that is made in between counts as foreign, since a
  // figure that is too high only delays work.
  Readings read() override {
    const size_t own = device_.memory_used_bytes();
    Readings readings = sensors_ == nullptr ? Readings() : sensors_->read();
    if (!readings.memory_used_bytes) readings.memory_used_bytes = device_.memory_used_by_all_bytes();
    if (readings.memory_used_bytes)
      readings.memory_other_bytes = *readings.memory_used_bytes - std::min(own, *readings.memory_used_bytes);
    return readings;
  }

 private:
  const Device& device_;
  std::unique_ptr<ReadingsSource> sensors_;  // null: there are none
};

}  // namespace

StatusOr<std::unique_ptr<ReadingsSource>> open_readings(const Device& device) {
  std::unique_ptr<ReadingsSource> sensors;
  const StatusOr<const cuda::NvmlApi*> api = driver_of(device.info());
  if (api.ok())
    if (auto opened = cuda::read_through_nvml(**api, device.info().uuid); opened.ok())
      sensors = *std::move(opened);
  if (sensors == nullptr && !device.memory_used_by_all_bytes())
    return unavailable("No driver reports readings of the device {}.", device.info().id);
  return std::make_unique<ReadingsOfDevice>(device, std::move(sensors));
}

StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue) {
  if (stream.device()->info().kind != BackendKind::kCuda)
    return unimplemented("Launches are recorded through CUDA alone, and not on {}.",
                         stream.device()->info().id);
  return cuda::record(stream, enqueue);
}

StatusOr<std::unique_ptr<DeviceBackend>> open_backend(const DeviceInfo& info, const OpenOptions& options) {
  switch (info.kind) {
    case BackendKind::kCpu:
      return cpu::open(info, options);
    case BackendKind::kVulkan:
      return vulkan::open(info, options);
    case BackendKind::kCuda:
      return cuda::open(info, options);
    case BackendKind::kNull:
      return null::open(info, options);
  }
  return unimplemented("There is no back end for the device {}.", info.id);
}

StatusOr<std::unique_ptr<Device>> open_device(const DeviceInfo& info, const OpenOptions& options) {
  StatusOr<std::unique_ptr<DeviceBackend>> backend = open_backend(info, options);
  if (!backend.ok())
    return with_context(backend.status(), fmt::format("While opening the device {}", info.id));
  return std::make_unique<Device>(*std::move(backend), info);
}

namespace {

// Returns the devices of the back end that the id names. The other back ends are not called, so
// that opening the CPU loads no driver of a GPU.
std::vector<DeviceInfo> devices_beside(std::string_view id) {
  if (id == "null") return {null::describe()};
  if (id.starts_with("cpu")) return cpu::find_devices().devices;
  if (id.starts_with("vulkan:")) return vulkan::find_devices().devices;
  if (id.starts_with("cuda:")) return cuda::find_devices().devices;
  return {};
}

}  // namespace

StatusOr<std::unique_ptr<Device>> open_device(std::string_view id, const OpenOptions& options) {
  const std::vector<DeviceInfo> likely = devices_beside(id);
  if (const auto found = std::ranges::find(likely, id, &DeviceInfo::id); found != likely.end())
    return open_device(*found, options);
  std::vector<std::string> notes;
  const std::vector<DeviceInfo> devices = list_devices_and_twins(&notes);
  const auto found = std::ranges::find(devices, id, &DeviceInfo::id);
  if (found != devices.end()) return open_device(*found, options);
  return not_found("There is no device '{}'; there are: {}.{}{}", id, ids_of(devices),
                   notes.empty() ? "" : " ", fmt::join(notes, " "));
}

}  // namespace weft::device
