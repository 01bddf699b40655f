// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/buffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>

namespace weft::device::cuda {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// Maps pages and populates them, with huge pages if the kernel has them. Registering populated
// pages takes the driver little time, and its lock delays all other launches meanwhile. (Its own
// cuMemHostAlloc makes the pages under its lock: 30 ms for 64 MiB on an H200 against 1.5 ms.)
StatusOr<std::byte*> map_pages(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return resource_exhausted(
        "The machine has too little memory ({} bytes asked for): {}; use smaller batches.", bytes,
        std::strerror(errno));
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  ::madvise(memory, bytes,
            // After a fork, copy on write would give this process other pages than the device's.
            MADV_DONTFORK);
  auto* const first = static_cast<std::byte*>(memory);
  for (size_t done = 0; done < bytes;
       // In steps, so that other threads can change the process's page tables in between.
       done += kHugePage) {
    const size_t step = std::min(kHugePage, bytes - done);
    if (::madvise(first + done, step, MADV_POPULATE_WRITE) != 0)
      std::memset(first + done, 0, step);  // for Linux before 5.14
  }
  return first;
}

}  // namespace

StatusOr<std::unique_ptr<BufferBackend>> CudaBuffer::make(const Context& context, MemoryKind kind,
                                                          size_t size_bytes) {
  auto buffer = std::make_unique<CudaBuffer>(context);
  if (kind == MemoryKind::kDevice) {
    RETURN_IF_ERROR(context.call("cuMemAlloc", &Api::memory_allocate, &buffer->address_, size_bytes));
    return buffer;
  }
  RETURN_IF_ERROR(buffer->pin(size_bytes));
  return buffer;
}

Status CudaBuffer::pin(size_t size_bytes) {
  // Small buffers use no huge pages.
  mapped_bytes_ = size_bytes < kHugePage ? size_bytes : round_up(size_bytes, kHugePage);
  ASSIGN_OR_RETURN(host_, map_pages(mapped_bytes_));
  RETURN_IF_ERROR(context_.call("cuMemHostRegister", &Api::host_register, static_cast<void*>(host_),
                                mapped_bytes_, kHostPortable | kHostDeviceMap));
  registered_ = true;
  return context_.call("cuMemHostGetDevicePointer", &Api::host_address, &address_, static_cast<void*>(host_),
                       0u);
}

// Ignores errors, since they repeat those that the stream's wait has reported.
CudaBuffer::~CudaBuffer() {
  if (registered_) static_cast<void>(context_.call_raw(&Api::host_unregister, static_cast<void*>(host_)));
  if (host_ != nullptr) {
    ::munmap(host_, mapped_bytes_);
  } else if (address_ != 0) {
    static_cast<void>(context_.call_raw(&Api::memory_free, address_));
  }
}

}  // namespace weft::device::cuda
