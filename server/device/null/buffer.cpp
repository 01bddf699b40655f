// SPDX-License-Identifier: Apache-2.0
#include "server/device/null/buffer.h"

#include <cstdlib>

namespace weft::device::null {

StatusOr<std::unique_ptr<BufferBackend>> NullBuffer::make(MemoryKind kind, size_t size_bytes) {
  void* bytes = nullptr;
  if (posix_memalign(&bytes, 256, size_bytes) != 0)
    return resource_exhausted("The machine has too little memory ({} bytes asked for).", size_bytes);
  return std::make_unique<NullBuffer>(static_cast<std::byte*>(bytes), kind);
}

NullBuffer::~NullBuffer() { std::free(bytes_); }

}  // namespace weft::device::null
