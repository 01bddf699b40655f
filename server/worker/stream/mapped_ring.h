// SPDX-License-Identifier: Apache-2.0
// Maps a stream's ring of shared memory: slots of frames, followed by slots of pictures.
#pragma once

#include <cstddef>
#include <utility>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

class MappedRing {
 public:
  MappedRing() = default;  // a ring without slots
  ~MappedRing();
  MappedRing(MappedRing&& other) noexcept { *this = std::move(other); }
  MappedRing& operator=(MappedRing&& other) noexcept;

  // Maps the memory. INTERNAL: the memory does not match its layout, or a slot has fewer bytes than
  // `frame_bytes` or `picture_bytes`. RESOURCE_EXHAUSTED: the memory cannot be mapped.
  static StatusOr<MappedRing> map(const internal::v1::RingLayout& layout,
                                  const channel::FileDescriptor& memory, size_t frame_bytes,
                                  size_t picture_bytes);

  bool is_mapped() const { return data_ != nullptr; }
  bool has_frame(int slot) const { return slot >= 0 && slot < layout_.frame_slots(); }
  bool has_picture(int slot) const { return slot >= 0 && slot < layout_.picture_slots(); }
  // Returns the memory of a slot, which must exist.
  std::byte* frame(int slot) const { return data_ + slot * layout_.frame_slot_bytes(); }
  std::byte* picture(int slot) const {
    return data_ + layout_.frame_slots() * layout_.frame_slot_bytes() + slot * layout_.picture_slot_bytes();
  }

 private:
  internal::v1::RingLayout layout_;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace weft::worker
