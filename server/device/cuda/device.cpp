// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/device.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "server/device/cuda/buffer.h"
#include "server/device/cuda/code.h"
#include "server/device/cuda/code_path.h"
#include "server/device/cuda/kernel.h"
#include "server/device/cuda/stream.h"

namespace weft::device::cuda {
namespace {

class CudaDevice final : public DeviceBackend {
 public:
  CudaDevice(const Api& api, CuDevice device, CuContext context) : context_(api, device, context) {}

  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    return CudaBuffer::make(context_, kind, size_bytes);
  }
  // Copies use the copy engines on every stream, so the use does not matter for them.
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) override {
    return CudaStream::make(context_, priority, use);
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image, KernelForm form) override {
    return CudaKernel::make(context_, image, form);
  }
  std::optional<size_t> memory_used_by_all_bytes() const override {
    size_t free = 0, total = 0;
    if (context_.call_raw(&Api::memory_info, &free, &total) != kCudaSuccess) return std::nullopt;
    return total - free;
  }

 private:
  Context context_;
};

// Returns 0 if the driver does not support the attribute, and therefore not the feature.
uint32_t attribute(const Api& api, CuDevice device, CuDeviceAttribute which) {
  int value = 0;
  return api.device_attribute(&value, which, device) == kCudaSuccess ? static_cast<uint32_t>(value) : 0;
}

// Lowers the shared memory of a block and of a multiprocessor to WEFT_CUDA_SHARED_KIB, so that a
// newer GPU tests the bodies of kernels for GPUs with less.
void limit_shared_memory(DeviceInfo& info) {
  const char* const text = std::getenv("WEFT_CUDA_SHARED_KIB");
  if (text == nullptr) return;
  const std::string_view value(text);
  uint32_t kib = 0;
  std::from_chars(value.data(), value.data() + value.size(), kib);
  if (kib < 48) return;  // every GPU has 48 KiB
  info.shared_memory_bytes = std::min(info.shared_memory_bytes, kib * 1024);
  info.unit_shared_memory_bytes = std::min(info.unit_shared_memory_bytes, (kib + 1) * 1024);
}

// A device, and its compute capability times 10.
struct Described {
  DeviceInfo info;
  int capability = 0;
};

StatusOr<Described> describe(const Api& api, int ordinal, std::span<const std::string> targets) {
  CuDevice device = 0;
  char name[256] = {};
  CuUuid uuid{};
  int driver = 0;
  Described described;
  DeviceInfo& info = described.info;
  RETURN_IF_ERROR(status_of(api, api.device_get(&device, ordinal), "cuDeviceGet"));
  RETURN_IF_ERROR(status_of(api, api.device_name(name, sizeof(name) - 1, device), "cuDeviceGetName"));
  RETURN_IF_ERROR(status_of(api, api.device_uuid(&uuid, device), "cuDeviceGetUuid"));
  RETURN_IF_ERROR(status_of(api, api.device_memory(&info.memory_bytes, device), "cuDeviceTotalMem"));
  RETURN_IF_ERROR(status_of(api, api.driver_version(&driver), "cuDriverGetVersion"));
  info.kind = BackendKind::kCuda;
  info.id = fmt::format("cuda:{}", ordinal);
  info.name = name;
  info.uuid = fmt::format("{:02x}", fmt::join(uuid.bytes, ""));
  const uint32_t major = attribute(api, device, kComputeCapabilityMajor);
  const uint32_t minor = attribute(api, device, kComputeCapabilityMinor);
  described.capability = int(10 * major + minor);
  info.driver = fmt::format("CUDA driver {}.{}, compute capability {}.{}", driver / 1000, driver % 1000 / 10,
                            major, minor);
  info.max_buffer_bytes = info.memory_bytes;
  info.max_blocks[0] = attribute(api, device, kMaxGridX);
  info.max_blocks[1] = attribute(api, device, kMaxGridY);
  info.max_blocks[2] = attribute(api, device, kMaxGridZ);
  info.max_block_lanes = attribute(api, device, kMaxThreadsPerBlock);
  info.shared_memory_bytes = attribute(api, device, kMaxSharedMemoryPerBlockOptIn);
  info.unit_shared_memory_bytes = attribute(api, device, kMaxSharedMemoryPerMultiprocessor);
  info.params_bytes = 4096;
  info.subgroup_lanes = attribute(api, device, kWarpSize);
  info.compute_units = attribute(api, device, kMultiprocessorCount);
  info.copy_engines = attribute(api, device, kAsyncEngineCount);
  info.can_hold_back = driver >= kCuda12;  // older drivers may need an option for waits by value
  // Resolution of events according to the driver's documentation.
  info.timestamp_resolution_ns = 500;
  limit_shared_memory(info);
  if (const auto code = choose_code(targets, described.capability, is_ptx_forced())) {
    info.code = describe(*code);
    info.has_warpgroups = code->has_warpgroups;
  }
  return described;
}

StatusOr<std::vector<Described>> describe_all(std::span<const std::string> targets) {
  ASSIGN_OR_RETURN(const Api* api, load_api());
  int count = 0;
  RETURN_IF_ERROR(status_of(*api, api->device_count(&count), "cuDeviceGetCount"));
  std::vector<Described> devices;
  for (int i = 0; i < count; i++) {
    ASSIGN_OR_RETURN(Described described, describe(*api, i, targets));
    devices.push_back(std::move(described));
  }
  return devices;
}

}  // namespace

Found find_devices() {
  const std::vector<std::string> targets = code_targets();
  StatusOr<std::vector<Described>> devices = describe_all(targets);
  if (!devices.ok()) return {{}, {message_of(devices.status())}};
  const Status there = check_code();
  Found found;
  for (Described& each : *devices) {
    if (there.ok() && !each.info.code.empty()) {
      found.devices.push_back(std::move(each.info));
      continue;
    }
    found.notes.push_back(
        fmt::format("{} ({}) is not used through CUDA: {}", each.info.id, each.info.name,
                    there.ok() ? why_no_code(targets, each.capability, is_ptx_forced()) : message_of(there)));
  }
  return found;
}

StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions&) {
  ASSIGN_OR_RETURN(const Api* api, load_api());
  ASSIGN_OR_RETURN(const std::vector<Described> devices, describe_all(code_targets()));
  for (size_t i = 0; i < devices.size(); i++) {
    if (devices[i].info.id != info.id) continue;
    CuDevice device = 0;
    CuContext context = nullptr;
    RETURN_IF_ERROR(status_of(*api, api->device_get(&device, static_cast<int>(i)), "cuDeviceGet"));
    const CuResult flags_set = api->context_set_flags(device, kContextBlockingSync);
    // The context is already active, with the flags of its first user.
    if (flags_set != kCudaErrorPrimaryContextActive)
      RETURN_IF_ERROR(status_of(*api, flags_set, "cuDevicePrimaryCtxSetFlags"));
    RETURN_IF_ERROR(status_of(*api, api->context_retain(&context, device), "cuDevicePrimaryCtxRetain"));
    return std::make_unique<CudaDevice>(*api, device, context);
  }
  return not_found("The device {} is no longer there.", info.id);
}

}  // namespace weft::device::cuda
