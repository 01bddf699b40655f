// SPDX-License-Identifier: Apache-2.0
// Packs the layers of a network for kernels: words of 32 bits, each a float or a pair of halves,
// one part after the other.
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
  // Begins the next block at a multiple of 256 bytes.
  void begin_part() {
    constexpr size_t kAlignment = 64;  // words
    words_.resize((words_.size() + kAlignment - 1) / kAlignment * kAlignment);
    offsets_bytes_.push_back(words_.size() * sizeof(uint32_t));
  }

  // Adds, for each group of outputs, the weights of the group for each input and tap, then the
  // biases. Missing outputs of the last group are 0.
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
  // Adds the weights in the order of the file, then the biases.
  void add_plain(const NetworkLayer& layer) {
    for (const float weight : layer.weights) add_float(weight);
    add_biases(layer, layer.outputs);
  }
  // Adds the biases of `outputs` outputs; missing ones are 0.
  void add_biases(const NetworkLayer& layer, int outputs) {
    for (int k = 0; k < outputs; k++) add_float(k < layer.outputs ? layer.biases[size_t(k)] : 0.0f);
  }

  // Adds a step of 16 inputs to 8 outputs (kernels/nnedi/fragments.h): for each lane inputs 2t and
  // 2t + 1, with t = lane % 4, to output lane / 4, then inputs 2t + 8 and 2t + 9. weight(input,
  // output) is rounded to a half.
  template <class Weight>
  void add_step(const Weight& weight) {
    for (const int first : {0, 8})
      for (int lane = 0; lane < kFragmentLanes; lane++)
        add_pair([&](int k) { return weight(first + 2 * (lane % 4) + k, lane / 4); });
  }
  // Adds steps of 16 inputs, each with pairs of 8 outputs (kernels/texture/layer.h, small.h). The
  // four words of a lane are inputs 2t, 2t + 1 and 2t + 8, 2t + 9, with t = lane % 4, to output
  // lane / 4 and to the output 8 later. `outputs` is a multiple of 16. weight(output, step, input
  // of the step) is rounded to a half.
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
  // Returns the offset of each part.
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
