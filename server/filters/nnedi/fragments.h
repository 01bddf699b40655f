// SPDX-License-Identifier: Apache-2.0
// Weights for tensor cores (kernels/nnedi/fragments.h).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/lang/lang.h"
#include "kernels/nnedi/fragments.h"

namespace weft::filters::nnedi {

// Adds a step's words, of `weight(input, output)` for its inputs and outputs, rounded to halves.
template <class Weight>
void add_fragment_step(std::vector<uint32_t>& words, const Weight& weight) {
  const auto half = [&](int input, int output) {
    return uint32_t(std::bit_cast<uint16_t>(kernels::half(weight(input, output))));
  };
  for (int word = 0; word < FRAGMENT_STEP / FRAGMENT_LANES; word++)
    for (int lane = 0; lane < FRAGMENT_LANES; lane++) {
      const int input = lane % 4 * 2 + word * 8;
      words.push_back(half(input, lane / 4) | half(input + 1, lane / 4) << 16);
    }
}

}  // namespace weft::filters::nnedi
