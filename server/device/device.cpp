// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "server/device/backend.h"
#include "server/device/names.h"

namespace weft::device {

struct Device::State {
  std::unique_ptr<DeviceBackend> backend;
  std::atomic<size_t> memory_used_bytes = 0;
  std::mutex kernels_mutex;
  std::map<std::pair<std::string, size_t>, std::unique_ptr<Kernel>>
      kernels;  // by name and bytes of the array
};

Device::Device(std::unique_ptr<DeviceBackend> backend, DeviceInfo info)
    : state_(std::make_unique<State>()), info_(std::move(info)) {
  state_->backend = std::move(backend);
}

Device::~Device() = default;

void Device::give_back(size_t bytes) { state_->memory_used_bytes -= bytes; }

size_t Device::memory_used_bytes() const { return state_->memory_used_bytes; }

StatusOr<std::unique_ptr<Buffer>> Device::allocate(MemoryKind kind, size_t size_bytes) {
  if (size_bytes == 0) return invalid_argument("A buffer has at least one byte.");
  if (size_bytes > info_.max_buffer_bytes) {
    return resource_exhausted(
        "A buffer is larger than {} allows ({} bytes, at most {}); use smaller batches.", info_.id,
        size_bytes, info_.max_buffer_bytes);
  }
  const size_t used = state_->memory_used_bytes.fetch_add(size_bytes);
  Status status;
  if (size_bytes > info_.memory_bytes || used > info_.memory_bytes - size_bytes) {
    status = resource_exhausted(
        "{} has too little memory ({} bytes asked for, {} of {} in use); use smaller batches.", info_.id,
        size_bytes, used, info_.memory_bytes);
  } else if (StatusOr<std::unique_ptr<BufferBackend>> backend = state_->backend->allocate(kind, size_bytes);
             backend.ok()) {
    return std::make_unique<Buffer>(*std::move(backend), this, kind, size_bytes);
  } else {
    status = backend.status();
  }
  give_back(size_bytes);
  return status;
}

StatusOr<std::unique_ptr<Stream>> Device::make_stream(StreamPriority priority, StreamUse use) {
  if (use == StreamUse::kHeldBack && !info_.can_hold_back)
    return failed_precondition("The device {} cannot hold back a stream.", info_.id);
  ASSIGN_OR_RETURN(std::unique_ptr<StreamBackend> backend, state_->backend->make_stream(priority, use));
  return std::make_unique<Stream>(std::move(backend), this, use);
}

StatusOr<const Kernel*> Device::load(std::string_view name, size_t sized_bytes) {
  const std::lock_guard lock(state_->kernels_mutex);
  const std::pair key(std::string(name), sized_bytes);
  if (const auto found = state_->kernels.find(key); found != state_->kernels.end())
    return found->second.get();
  const kernels::KernelImage* image = kernels::find_kernel(name);
  if (image == nullptr) return no_such_kernel(name);
  const kernels::CpuKernel& shape = image->signature;
  if (shape.element_bytes == 0 && sized_bytes != 0)
    return invalid_argument("The kernel '{}' has no array to be sized ({} bytes asked for).", name,
                            sized_bytes);
  if (sized_bytes > info_.shared_memory_bytes) {
    return failed_precondition("{} cannot give the kernel '{}' so much shared memory ({} bytes, at most {}).",
                               info_.id, name, sized_bytes, info_.shared_memory_bytes);
  }
  if (shape.params_bytes > info_.params_bytes || shape.block_x * shape.block_y > info_.max_block_lanes) {
    return failed_precondition(
        "{} cannot run the kernel '{}': it wants {} bytes of Params and {} lanes a block (at most {} and "
        "{}).",
        info_.id, name, shape.params_bytes, shape.block_x * shape.block_y, info_.params_bytes,
        info_.max_block_lanes);
  }
  const size_t element = shape.element_bytes;
  const size_t array =
      element == 0 ? 0 : std::max((sized_bytes + element - 1) / element, size_t{1}) * element;
  ASSIGN_OR_RETURN(std::unique_ptr<KernelBackend> backend,
                   state_->backend->load(*image, static_cast<uint32_t>(array)));
  auto kernel = std::make_unique<Kernel>(std::move(backend), this, std::string(name),
                                         Kernel::Shape{shape.block_x, shape.block_y, shape.params_bytes});
  return state_->kernels.emplace(key, std::move(kernel)).first->second.get();
}

}  // namespace weft::device
