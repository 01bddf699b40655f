// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/buffer.h"

#include <cstdlib>

namespace weft::device::cpu {

StatusOr<std::unique_ptr<BufferBackend>> CpuBuffer::make(MemoryKind kind, size_t size_bytes) {
  // The size is exact, so that AddressSanitizer detects an access to the first byte past the end.
  void* bytes = nullptr;
  if (posix_memalign(&bytes, 256, size_bytes) != 0)
    return resource_exhausted("The machine has too little memory ({} bytes asked for); use smaller batches.",
                              size_bytes);
  return std::make_unique<CpuBuffer>(static_cast<std::byte*>(bytes), kind);
}

CpuBuffer::~CpuBuffer() { std::free(bytes_); }

}  // namespace weft::device::cpu
