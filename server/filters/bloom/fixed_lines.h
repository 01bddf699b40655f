// SPDX-License-Identifier: Apache-2.0
// The lengths for which GPUs have kernels of their own (tuning/gpu.json), for three channels: what a pass needs to know is known
// to the compiler there, which makes them twice as fast as those for every length. For a length there may be several, for
// multiprocessors whose blocks share much or little memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {

// How a pass transforms its lines, and how its kernel is launched.
struct LinePlan {
  FftPlan plan = {};
  Skews skews = {};
  int planes = 2;            // complex numbers of a pixel that a block works on together
  int lines = 1;             // rows of a block; log2 of the lines of a block of columns
  int resident = 1;          // blocks that fit, or are meant to be, on a multiprocessor at once
  size_t shared_bytes = 0;   // of a block
  std::string variant = {};  // of the kernel file
};

struct FixedLine : LinePlan {
  // For launches whose last blocks would leave a third of a device's time idle with another one. It has the radices of that
  // one: what comes out has the same bits.
  bool is_spread = false;
};

enum class LineAxis { kRows, kColumns };
// The passes, with a kernel file each. Those of rows may have other radices forward than back.
enum class LinePass { kRows, kColumns, kRowsBack };
constexpr LineAxis axis_of(LinePass pass) {
  return pass == LinePass::kColumns ? LineAxis::kColumns : LineAxis::kRows;
}

// What a device has of shared memory.
struct SharedMemory {
  size_t block_bytes = 0;  // for a block at most
  size_t unit_bytes = 0;   // for the blocks that are on a multiprocessor at once
};

// Shortest first, and of those that are as long the ones with the most lines a block. Any thread, as what follows.
std::span<const FixedLine> all_fixed_lines(LinePass pass);
// The shortest of at least so many points with blocks that fit, none for spread launches; null when there is none. Of those that
// are as long the one whose blocks fill a multiprocessor most, as many as it is meant for.
const FixedLine* shortest_fixed_line(LinePass pass, int at_least, const SharedMemory& memory);
// The one that spreads its launches; null when there is none.
const FixedLine* spread_line(LinePass pass, const FixedLine& line, size_t most_bytes);

}  // namespace weft::filters::bloom
