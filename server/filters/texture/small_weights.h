// SPDX-License-Identifier: Apache-2.0
// Packs the weights of the networks `small` for their kernels (kernels/texture/small.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/texture/small_blocks.kernel"
#include "server/filters/networks/packing.h"
#include "server/filters/texture/small_network.h"

namespace weft::filters::texture {

// Holds the weights in the order of small.h: the predictor, then the networks of blocks.
class PackedSmall {
 public:
  explicit PackedSmall(bool is_tensor) : is_tensor_(is_tensor) {}

  void add_predictor(std::span<const networks::NetworkLayer> layers) { add(layers, networks::kFragmentStep); }
  void add_blocks(const SubmodeNetwork& submode, TexelSource source) {
    std::vector<networks::NetworkLayer> layers = submode.layers;
    std::vector<float>& biases = layers[0].biases;
    for (size_t k = 0; k < biases.size(); k++)
      biases[k] += submode.sources[size_t(source) * biases.size() + k];
    add(layers, SMALL_OUTPUTS_FRAGMENTS);
    const Submode& of_bc7 = submode.submode;
    std::array<int32_t, SUBMODE_INTS> about = {};
    about[SUBMODE_WEIGHTS] = int32_t(packed_.offsets_bytes().back() / kVectorBytes);
    about[SUBMODE_OUTPUTS] = int32_t(round_up(size_t(of_bc7.outputs()), SMALL_GROUP));
    about[SUBMODE_MODE] = of_bc7.mode;
    about[SUBMODE_PATTERN] = of_bc7.pattern;
    about[SUBMODE_ROTATION] = of_bc7.rotation;
    about[SUBMODE_SELECTOR] = of_bc7.selector;
    submodes_.insert(submodes_.end(), about.begin(), about.end());
  }
  const std::vector<uint32_t>& words() const { return packed_.words(); }
  // Returns SUBMODE_INTS ints for each network of blocks.
  const std::vector<int32_t>& submodes() const { return submodes_; }

 private:
  // Adds the layers of one network. In every network the last layer has `last_outputs` outputs,
  // because kernels are compiled for that number.
  void add(std::span<const networks::NetworkLayer> layers, int last_outputs) {
    packed_.begin_part();
    const auto outputs_of = [&](const networks::NetworkLayer& layer) {
      return &layer == &layers.back() ? last_outputs : layer.outputs;
    };
    if (!is_tensor_) {
      for (const networks::NetworkLayer& layer : layers) packed_.add_groups(layer, SMALL_GROUP);
      return;
    }
    for (const networks::NetworkLayer& layer : layers) add_fragments_of(layer, outputs_of(layer));
    for (const networks::NetworkLayer& layer : layers) packed_.add_biases(layer, outputs_of(layer));
  }

  void add_fragments_of(const networks::NetworkLayer& layer, int outputs) {
    constexpr int kStep = networks::kFragmentStep;
    packed_.add_steps(layer.inputs / kStep, outputs, [&](int output, int step, int k) {
      return output < layer.outputs ? layer.weight(output, step * kStep + k, 0) : 0.0f;
    });
  }

  static constexpr size_t kVectorBytes = 16;

  bool is_tensor_;
  std::vector<int32_t> submodes_;
  networks::PackedWeights packed_;
};

}  // namespace weft::filters::texture
