// SPDX-License-Identifier: Apache-2.0
// Allocates host memory that no work reads or writes.
#pragma once

#include "server/device/backend.h"

namespace weft::device::null {

class NullBuffer final : public BufferBackend {
 public:
  static StatusOr<std::unique_ptr<BufferBackend>> make(MemoryKind kind, size_t size_bytes);
  NullBuffer(std::byte* bytes, MemoryKind kind) : bytes_(bytes), kind_(kind) {}
  ~NullBuffer() override;

  uint64_t address() const override { return reinterpret_cast<uint64_t>(bytes_); }
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : bytes_; }

 private:
  std::byte* bytes_;
  MemoryKind kind_;
};

}  // namespace weft::device::null
