// SPDX-License-Identifier: Apache-2.0
// Frames that benchmarks of filters read.
#pragma once

#include <cstddef>

#include "server/graph/frame_layout.h"

namespace weft::bench {

inline constexpr int kDrawnFrames = 6;

// A moving pattern with a little noise, so that every way through a filter is taken.
void draw(std::byte* frame, const graph::FrameLayout& layout, int number);
// kDrawnFrames of them, one after the other.
void draw_all(std::byte* frames, const graph::FrameLayout& layout);

}  // namespace weft::bench
