// SPDX-License-Identifier: Apache-2.0
#include "server/streams/ring.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>

#include "server/streams/available_memory.h"

namespace weft::streams {
Ring::~Ring() {
  if (data_ != nullptr) ::munmap(data_, size_t(bytes_));
}

Ring::Ring(Ring&& other) noexcept
    : memory_(std::move(other.memory_)),
      bytes_(std::exchange(other.bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

Ring& Ring::operator=(Ring&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_, other.data_);
  return *this;
}

StatusOr<Ring> Ring::make(int64_t bytes, int64_t further_bytes) {
  // A larger allocation would not fail, but the OOM killer would end a process.
  if (const int64_t available = available_memory(); further_bytes > available / 2 - bytes)
    return resource_exhausted(
        "Memory is short for a stream ({} bytes wanted; {} are available to the daemon, half of which may "
        "be taken).",
        bytes + further_bytes, available);
  Ring ring;
  ring.bytes_ = bytes;
  ring.memory_.reset(::memfd_create("weft-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!ring.memory_.is_open())
    return resource_exhausted("Shared memory for a stream cannot be made: {}.", std::strerror(errno));
  // The pages are allocated now: with overcommitted ones, the first process that accesses them
  // would be killed.
  if (const int error = ::posix_fallocate(ring.descriptor(), 0, bytes); error != 0)
    return resource_exhausted("The machine's memory is short for a stream ({} bytes): {}.", bytes,
                              std::strerror(error));
  if (::fcntl(ring.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return internal_error("A stream's shared memory cannot be sealed: {}.", std::strerror(errno));
  return ring;
}

std::byte* Ring::data() {
  if (data_ != nullptr) return data_;
  void* mapped = ::mmap(nullptr, size_t(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(), 0);
  if (mapped != MAP_FAILED) data_ = static_cast<std::byte*>(mapped);
  return data_;
}

}  // namespace weft::streams
