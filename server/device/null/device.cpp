// SPDX-License-Identifier: Apache-2.0
#include "server/device/null/device.h"

#include <algorithm>
#include <limits>

#include "server/device/null/buffer.h"
#include "server/device/null/kernel.h"
#include "server/device/null/stream.h"

namespace weft::device::null {
namespace {

class NullDevice final : public DeviceBackend {
 public:
  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    return NullBuffer::make(kind, size_bytes);
  }
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority, StreamUse) override {
    return std::make_unique<NullStream>();
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage&, KernelForm) override {
    return std::make_unique<NullKernel>();
  }
};

}  // namespace

DeviceInfo describe() {
  DeviceInfo info;
  info.kind = BackendKind::kNull;
  info.id = "null";
  info.name = "Executes nothing";
  info.uuid = std::string(32, '0');
  info.driver = fmt::format("Weft {}", WEFT_VERSION);
  info.is_software = true;
  info.memory_bytes = size_t{1} << 30;
  info.max_buffer_bytes = size_t{1} << 29;
  std::ranges::fill(info.max_blocks, 65535);
  info.max_block_lanes = 1024;
  info.shared_memory_bytes = 32 * 1024;
  info.unit_shared_memory_bytes = info.shared_memory_bytes;
  info.params_bytes = 128;
  info.subgroup_lanes = 1;
  info.compute_units = 1;
  info.timestamp_resolution_ns = 1;
  return info;
}

StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo&, const OpenOptions&) {
  return std::make_unique<NullDevice>();
}

}  // namespace weft::device::null
