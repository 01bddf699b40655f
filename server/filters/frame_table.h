// SPDX-License-Identifier: Apache-2.0
// What a kernel of video/ is told of each source frame of a batch, as it lies in device memory.
#pragma once

#include <cstdint>

#include "kernels/video/frames.h"

namespace weft::filters {

// One source frame; the layout is that of kernels/video/frames.h.
struct FrameTableEntry {
  int32_t previous = 0;  // slots of the source ring
  int32_t current = 0;
  int32_t next = 0;
  int32_t target[2] = {-1, -1};  // slots of the target ring; -1: none
  int32_t flags = 0;             // FLAG_... of frames.h
  int32_t unused[2] = {0, 0};
};
static_assert(sizeof(FrameTableEntry) == TABLE_INTS * sizeof(int32_t));

}  // namespace weft::filters
