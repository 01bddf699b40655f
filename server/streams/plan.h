// SPDX-License-Identifier: Apache-2.0
// Validates the request of a client, and computes sizes, slots and layout from the request and from
// the worker's plan.
#pragma once

#include "base/status.h"
#include "weft/internal/v1/stream.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::streams {

struct StreamPlan {
  v1::OpenStream open;  // the request with defaults for missing values
  int64_t frame_bytes = 0;
  int64_t picture_bytes = 0;      // set by plan_pictures
  internal::v1::RingLayout ring;  // its picture slots are set by plan_pictures
  int64_t held_bytes = 0;         // memory of the worker for frames; set by plan_pictures

  int64_t memory_bytes() const { return ring_bytes() + held_bytes; }
  int64_t ring_bytes() const {
    return ring.frame_slots() * ring.frame_slot_bytes() + ring.picture_slots() * ring.picture_slot_bytes();
  }
  int64_t frame_offset(int slot) const { return slot * ring.frame_slot_bytes(); }
  int64_t picture_offset(int slot) const {
    return ring.frame_slots() * ring.frame_slot_bytes() + slot * ring.picture_slot_bytes();
  }
};

// Validates a request and plans its frame slots. Returns INVALID_ARGUMENT with the names of the
// invalid fields. A normal stream without a rate has 25 frames per second.
StatusOr<StreamPlan> plan_stream(const v1::OpenStream& open);

// Adds the pictures that the worker has planned. Returns RESOURCE_EXHAUSTED if they are too large,
// and INTERNAL if the worker's message is inconsistent.
Status plan_pictures(StreamPlan& plan, const internal::v1::StreamStarted& started);

}  // namespace weft::streams
