// SPDX-License-Identifier: Apache-2.0
// Maps the memory that the daemon offers to share between a stream's client and its worker. Only
// sources of this folder include it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::client {

class SharedRing {
 public:
  // Requests the memory from the daemon's socket and maps it. Returns an error if the memory cannot
  // be shared with this process.
  static StatusOr<std::unique_ptr<SharedRing>> map(const v1::StreamRing& offer);
  ~SharedRing();
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;

  int frame_slots() const { return offer_.frame_slots(); }
  bool has_picture_slot(int slot) const { return slot >= 0 && slot < offer_.picture_slots(); }
  std::byte* frame(int slot) const { return data_ + slot * offer_.frame_slot_bytes(); }
  const std::byte* picture(int slot) const {
    return data_ + offer_.frame_slots() * offer_.frame_slot_bytes() + slot * offer_.picture_slot_bytes();
  }

 private:
  SharedRing(const v1::StreamRing& offer, std::byte* data) : offer_(offer), data_(data) {}

  const v1::StreamRing offer_;
  std::byte* const data_;
};

}  // namespace weft::client
