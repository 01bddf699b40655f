// SPDX-License-Identifier: Apache-2.0
#include "server/device/backend.h"

namespace weft::device {

Buffer::Buffer(std::unique_ptr<BufferBackend> backend, Device* device, MemoryKind kind, size_t size_bytes)
    : backend_(std::move(backend)), device_(device), kind_(kind), size_bytes_(size_bytes) {}

Buffer::~Buffer() {
  backend_.reset();
  device_->give_back(kind_, size_bytes_);
}

uint64_t Buffer::address() const { return backend_->address(); }

std::byte* Buffer::host() const { return backend_->host(); }

}  // namespace weft::device
