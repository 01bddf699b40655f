// SPDX-License-Identifier: Apache-2.0
// What a client asks for, checked, and once the worker has planned its pictures worked out: sizes, slots, where they lie. Pure.
#pragma once

#include "base/status.h"
#include "weft/internal/v1/stream.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::streams {

struct StreamPlan {
  v1::OpenStream open;  // defaults filled in
  int64_t frame_bytes = 0;
  int64_t picture_bytes = 0;      // 0 until plan_pictures
  internal::v1::RingLayout ring;  // no slots for pictures until plan_pictures

  int64_t ring_bytes() const {
    return ring.frame_slots() * ring.frame_slot_bytes() + ring.picture_slots() * ring.picture_slot_bytes();
  }
  int64_t frame_offset(int slot) const { return slot * ring.frame_slot_bytes(); }
  int64_t picture_offset(int slot) const {
    return ring.frame_slots() * ring.frame_slot_bytes() + slot * ring.picture_slot_bytes();
  }
};

// INVALID_ARGUMENT names the fields that are wrong. A normal stream without a rate gets 25 frames a second.
StatusOr<StreamPlan> plan_stream(const v1::OpenStream& open);

// Adds what the worker says of the pictures. RESOURCE_EXHAUSTED: they are too large. INTERNAL: the worker says nonsense.
Status plan_pictures(StreamPlan& plan, const internal::v1::StreamStarted& started);

}  // namespace weft::streams
