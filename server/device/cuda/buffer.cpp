// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/buffer.h"

namespace weft::device::cuda {

StatusOr<std::unique_ptr<BufferBackend>> CudaBuffer::make(const Context& context, MemoryKind kind,
                                                          size_t size_bytes) {
  auto buffer = std::make_unique<CudaBuffer>(context);
  if (kind == MemoryKind::kDevice) {
    RETURN_IF_ERROR(context.call("cuMemAlloc", &Api::memory_allocate, &buffer->address_, size_bytes));
    return buffer;
  }
  void* host = nullptr;
  RETURN_IF_ERROR(
      context.call("cuMemHostAlloc", &Api::host_allocate, &host, size_bytes, kHostPortable | kHostDeviceMap));
  buffer->host_ = static_cast<std::byte*>(host);
  RETURN_IF_ERROR(context.call("cuMemHostGetDevicePointer", &Api::host_address, &buffer->address_, host, 0u));
  return buffer;
}

// Errors here say no more than what the stream's wait has said before.
CudaBuffer::~CudaBuffer() {
  if (host_ != nullptr) {
    static_cast<void>(context_.call_raw(&Api::host_free, host_));
  } else if (address_ != 0) {
    static_cast<void>(context_.call_raw(&Api::memory_free, address_));
  }
}

}  // namespace weft::device::cuda
