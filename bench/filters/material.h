// SPDX-License-Identifier: Apache-2.0
// Draws the frames that benchmarks of filters read.
#pragma once

#include <cstddef>

#include "server/graph/frame_layout.h"

namespace weft::bench {

inline constexpr int kDrawnFrames = 6;

// Draws a moving pattern with a little noise, so that every branch of a filter runs.
void draw(std::byte* frame, const graph::FrameLayout& layout, int number);
// Draws kDrawnFrames frames in sequence.
void draw_all(std::byte* frames, const graph::FrameLayout& layout);

}  // namespace weft::bench
