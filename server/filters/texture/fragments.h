// SPDX-License-Identifier: Apache-2.0
// Weights as the bodies for tensor cores read them (kernels/texture/layer.h, small.h).
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/lang/lang.h"

namespace weft::filters::texture {

// Inputs of a step, and outputs that lie together.
constexpr int kFragmentStep = 16;
// Words that a layer's or a network's weights begin at a multiple of.
constexpr size_t kWeightsAlignment = 64;

// Steps of 16 inputs; of each, pairs of 8 outputs. A lane's four words are inputs 2t, 2t + 1 and 2t + 8, 2t + 9, with t = lane % 4, to output lane / 4 and
// to the one 8 further on. `outputs` is a multiple of 16; weight(output, step, input of the step) is rounded to a half.
template <class Weight>
void add_fragments(std::vector<uint32_t>& words, int steps, int outputs, const Weight& weight) {
  constexpr int kLanes = 32;
  const auto half = [&](int output, int step, int k) {
    return uint32_t(std::bit_cast<uint16_t>(kernels::half(weight(output, step, k))));
  };
  for (int step = 0; step < steps; step++)
    for (int pair = 0; pair < outputs; pair += kFragmentStep)
      for (int lane = 0; lane < kLanes; lane++)
        for (const auto& [output, k] : {std::pair{0, 0}, std::pair{0, 8}, std::pair{8, 0}, std::pair{8, 8}}) {
          const int to = pair + output + lane / 4, from = k + 2 * (lane % 4);
          words.push_back(half(to, step, from) | half(to, step, from + 1) << 16);
        }
}

}  // namespace weft::filters::texture
