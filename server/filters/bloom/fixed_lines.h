// SPDX-License-Identifier: Apache-2.0
// Lists the lengths for which GPUs have specialised kernels (tuning/gpu.json), for three channels.
// The compiler knows the parameters of the pass, which makes these kernels twice as fast as those
// for every length. A length may have several kernels, for multiprocessors with blocks that share
// much or little memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {

// The transform of the lines of a pass, and the launch of its kernel.
struct LinePlan {
  FftPlan plan = {};
  Skews skews = {};
  int planes = 2;            // complex numbers of a pixel that a block processes together
  int lines = 1;             // rows of a block; in a block of columns, log2 of the number of lines
  int resident = 1;          // number of blocks meant to be on a multiprocessor at the same time
  size_t shared_bytes = 0;   // shared memory of a block
  std::string variant = {};  // variant of the kernel file
};

struct FixedLine : LinePlan {
  // true: replaces another line of this length in launches that would leave a third of the
  // device's time idle in their last blocks. It has the radices of that line, so the output has the
  // same bits.
  bool is_spread = false;
};

enum class LineAxis { kRows, kColumns };
// The passes, each with a kernel file. The two passes of rows may have different radices.
enum class LinePass { kRows, kColumns, kRowsBack };
constexpr LineAxis axis_of(LinePass pass) {
  return pass == LinePass::kColumns ? LineAxis::kColumns : LineAxis::kRows;
}

// Shared memory of a device.
struct SharedMemory {
  size_t block_bytes = 0;  // maximum of one block
  size_t unit_bytes = 0;   // total of the blocks that are on a multiprocessor at the same time
};

// Returns all lines of a pass: the shortest first, then those with the most lines per block. Any
// thread may call this function and those below.
std::span<const FixedLine> all_fixed_lines(LinePass pass);
// Returns the shortest line of at least `at_least` points with blocks that fit `memory`, or null.
// Lines with `is_spread` are left out. Among equal lengths, the function prefers the one that fills
// most of a multiprocessor with the intended number of blocks.
const FixedLine* shortest_fixed_line(LinePass pass, int at_least, const SharedMemory& memory);
// Returns the line with `is_spread` that corresponds to `line` and uses at most `most_bytes` of
// shared memory, or null.
const FixedLine* spread_line(LinePass pass, const FixedLine& line, size_t most_bytes);

}  // namespace weft::filters::bloom
