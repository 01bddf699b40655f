// SPDX-License-Identifier: Apache-2.0
// Allocates the buffers of the CPU device in the memory of the process.
#pragma once

#include "server/device/backend.h"

namespace weft::device::cpu {

class CpuBuffer final : public BufferBackend {
 public:
  static StatusOr<std::unique_ptr<BufferBackend>> make(MemoryKind kind, size_t size_bytes);
  CpuBuffer(std::byte* bytes, MemoryKind kind) : bytes_(bytes), kind_(kind) {}
  ~CpuBuffer() override;

  uint64_t address() const override { return reinterpret_cast<uint64_t>(bytes_); }
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : bytes_; }

 private:
  std::byte* bytes_;
  MemoryKind kind_;
};

}  // namespace weft::device::cpu
