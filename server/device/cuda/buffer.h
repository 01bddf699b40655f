// SPDX-License-Identifier: Apache-2.0
// Allocates device memory, or pinned host memory that the device can access.
#pragma once

#include "server/device/backend.h"
#include "server/device/cuda/context.h"

namespace weft::device::cuda {

class CudaBuffer final : public BufferBackend {
 public:
  static StatusOr<std::unique_ptr<BufferBackend>> make(const Context& context, MemoryKind kind,
                                                       size_t size_bytes);
  explicit CudaBuffer(const Context& context) : context_(context) {}
  ~CudaBuffer() override;

  uint64_t address() const override { return address_; }
  std::byte* host() const override { return host_; }

 private:
  Status pin(size_t size_bytes);

  const Context& context_;
  CuDevicePointer address_ = 0;
  std::byte* host_ = nullptr;
  size_t mapped_bytes_ = 0;
  bool registered_ = false;
};

}  // namespace weft::device::cuda
