// SPDX-License-Identifier: Apache-2.0
// Small streams, as the daemon orders them from a worker.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/values.h"
#include "server/channel/file_descriptor.h"
#include "tests/set_filters.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

inline constexpr int kWidth = 64;
inline constexpr int kHeight = 48;
inline constexpr int kFrameBytes = kWidth * kHeight;
inline constexpr int kFrameSlots = 4;
inline constexpr int kPictureSlots = 3;
inline constexpr int kRingBytes = (kFrameSlots + kPictureSlots) * kFrameBytes;

inline internal::v1::StartStream order_of(v1::StreamClass stream_class, int rate = 25) {
  internal::v1::StartStream order;
  order.set_stream(7);
  v1::OpenStream& open = *order.mutable_open();
  set_filters(open, "bwdif");
  open.mutable_settings()->set_stream_class(stream_class);
  open.mutable_format()->set_width(kWidth);
  open.mutable_format()->set_height(kHeight);
  open.mutable_format()->set_chroma(v1::CHROMA_FORMAT_GRAY);
  open.mutable_format()->set_bit_depth(8);
  open.mutable_frame_rate()->set_numerator(rate);
  open.mutable_frame_rate()->set_denominator(1);
  open.set_field_order(v1::FIELD_ORDER_TOP_FIRST);
  options::apply_defaults(open);
  return order;
}

inline internal::v1::RingLayout ring_layout() {
  internal::v1::RingLayout layout;
  layout.set_frame_slots(kFrameSlots);
  layout.set_frame_slot_bytes(kFrameBytes);
  layout.set_picture_slots(kPictureSlots);
  layout.set_picture_slot_bytes(kFrameBytes);
  return layout;
}

// Returns the memory of a ring with the layout of these streams.
inline channel::FileDescriptor ring_memory() {
  channel::FileDescriptor memory(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(memory.get(), kRingBytes), 0);
  return memory;
}

}  // namespace weft::worker
