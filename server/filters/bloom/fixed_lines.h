// SPDX-License-Identifier: Apache-2.0
// The lengths for which GPUs have kernels of their own (the "gpu variants" of kernels/bloom/fft_*.kernel): what a pass
// needs to know is known to the compiler there, which makes them twice as fast as those for every length.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {

struct FixedLine {
  FftPlan plan;
  Skews skews;
  int planes = 2;            // complex numbers of a pixel that a block works on together
  int lines = 1;             // rows of a block; log2 of the lines of a block of columns
  int lanes = 1;             // of a block
  int resident = 1;          // blocks that fit on a multiprocessor at once
  size_t shared_bytes = 0;   // of a block
  std::string variant = {};  // of the kernel files
  // The same in fewer blocks at once or of more lanes, for launches whose last blocks would leave a third of a device's
  // time idle; empty: there is none.
  std::string spread = {};
};

enum class LineAxis { kRows, kColumns };

// Shortest first, and of those that are as long the ones with the most lines a block, with few lanes before many and
// many resident blocks before few. Any thread, as what follows.
std::span<const FixedLine> all_fixed_lines(LineAxis axis);
// By its name; null when there is none.
const FixedLine* find_fixed_line(LineAxis axis, std::string_view variant);
// The first of at least so many points whose blocks take no more than `most_bytes` of shared memory; null when there is
// none.
const FixedLine* shortest_fixed_line(LineAxis axis, int at_least, size_t most_bytes);

}  // namespace weft::filters::bloom
