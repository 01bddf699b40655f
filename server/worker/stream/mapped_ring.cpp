// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/mapped_ring.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>

namespace weft::worker {

MappedRing::~MappedRing() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

MappedRing& MappedRing::operator=(MappedRing&& other) noexcept {
  std::swap(layout_, other.layout_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

StatusOr<MappedRing> MappedRing::map(const internal::v1::RingLayout& layout,
                                     const channel::FileDescriptor& memory, size_t frame_bytes,
                                     size_t picture_bytes) {
  const int64_t bytes =
      layout.frame_slots() * layout.frame_slot_bytes() + layout.picture_slots() * layout.picture_slot_bytes();
  struct stat info {};
  if (!memory.is_open() || ::fstat(memory.get(), &info) != 0 || info.st_size < bytes ||
      layout.frame_slots() < 1 || layout.picture_slots() < 1 ||
      layout.frame_slot_bytes() < int64_t(frame_bytes) ||
      layout.picture_slot_bytes() < int64_t(picture_bytes))
    return internal_error("A stream's memory is not what its layout says ({} bytes, {} are there).", bytes,
                          info.st_size);
  void* mapped = ::mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (mapped == MAP_FAILED)
    return resource_exhausted("A stream's memory cannot be mapped ({} bytes): {}.", bytes,
                              std::strerror(errno));
  MappedRing ring;
  ring.layout_ = layout;
  ring.data_ = static_cast<std::byte*>(mapped);
  ring.bytes_ = size_t(bytes);
  return ring;
}

}  // namespace weft::worker
