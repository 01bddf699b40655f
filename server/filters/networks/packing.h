// SPDX-License-Identifier: Apache-2.0
// The layers of a network as kernels read them: words of 32 bits, floats or pairs of halves, one part after the other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/lang/lang.h"
#include "server/filters/networks/network_file.h"

namespace weft::filters::networks {

// Inputs of a step of a tensor core, and outputs of a pair of steps.
inline constexpr int kFragmentStep = 16;
inline constexpr int kFragmentLanes = 32;

class PackedWeights {
 public:
  // The next block begins at a multiple of 256 bytes.
  void begin_part() {
    constexpr size_t kAlignment = 64;  // words
    words_.resize((words_.size() + kAlignment - 1) / kAlignment * kAlignment);
    offsets_bytes_.push_back(words_.size() * sizeof(uint32_t));
  }

  // Of each group of outputs: for each input and tap a weight of each, then the biases; 0 behind the last output.
  void add_groups(const NetworkLayer& layer, int group) {
    for (int first = 0; first < layer.outputs; first += group) {
      const auto add = [&](const auto& value_of) {
        for (int k = first; k < first + group; k++) add_float(k < layer.outputs ? value_of(k) : 0.0f);
      };
      for (int input = 0; input < layer.inputs; input++)
        for (int tap = 0; tap < layer.rows * layer.columns; tap++)
          add([&](int k) { return layer.weight(k, input, tap); });
      add([&](int k) { return layer.biases[size_t(k)]; });
    }
  }
  // The weights in the order of the file, then the biases.
  void add_plain(const NetworkLayer& layer) {
    for (const float weight : layer.weights) add_float(weight);
    add_biases(layer, layer.outputs);
  }
  // 0 behind the last.
  void add_biases(const NetworkLayer& layer, int outputs) {
    for (int k = 0; k < outputs; k++) add_float(k < layer.outputs ? layer.biases[size_t(k)] : 0.0f);
  }

  // A step of 16 inputs to 8 outputs (kernels/nnedi/fragments.h): lane by lane inputs 2t and 2t + 1, with t = lane % 4, to output
  // lane / 4, then inputs 2t + 8 and 2t + 9. weight(input, output) is rounded to a half, as below.
  template <class Weight>
  void add_step(const Weight& weight) {
    for (const int first : {0, 8})
      for (int lane = 0; lane < kFragmentLanes; lane++)
        add_pair([&](int k) { return weight(first + 2 * (lane % 4) + k, lane / 4); });
  }
  // Steps of 16 inputs; of each, pairs of 8 outputs (kernels/texture/layer.h, small.h). A lane's four words are inputs 2t, 2t + 1 and
  // 2t + 8, 2t + 9, with t = lane % 4, to output lane / 4 and to the one 8 further on. `outputs` is a multiple of 16; weight(output,
  // step, input of the step).
  template <class Weight>
  void add_steps(int steps, int outputs, const Weight& weight) {
    for (int step = 0; step < steps; step++)
      for (int pair = 0; pair < outputs; pair += kFragmentStep)
        for (int lane = 0; lane < kFragmentLanes; lane++)
          for (const auto& [output, first] :
               {std::pair{0, 0}, std::pair{0, 8}, std::pair{8, 0}, std::pair{8, 8}})
            add_pair(
                [&](int k) { return weight(pair + output + lane / 4, step, first + 2 * (lane % 4) + k); });
  }

  const std::vector<uint32_t>& words() const { return words_; }
  // Where each part begins.
  const std::vector<size_t>& offsets_bytes() const { return offsets_bytes_; }

 private:
  void add_float(float value) { words_.push_back(std::bit_cast<uint32_t>(value)); }
  template <class Value>
  void add_pair(const Value& value) {
    const auto half = [&](int k) { return uint32_t(std::bit_cast<uint16_t>(kernels::half(value(k)))); };
    words_.push_back(half(0) | half(1) << 16);
  }

  std::vector<uint32_t> words_;
  std::vector<size_t> offsets_bytes_;
};

}  // namespace weft::filters::networks
