// SPDX-License-Identifier: Apache-2.0
// The networks `small` in double precision, and PyTorch's output for a small texture
// (training/texture/train_small.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/filters/texture/small_network.h"
#include "tests/server/filters/texture/plain_resampling.h"

namespace weft::filters::texture {

// Returns the inputs of a block's networks: 4x4 texels of three channels, less the mean of the
// block's own four texels.
inline std::vector<double> inputs_of(const Picture8& small, int border, int block_x, int block_y) {
  std::vector<double> inputs;
  for (int c = 0; c < 3; c++) {
    const auto code = [&](int x, int y) {
      return double(small.code(border_index(2 * block_x + x, small.width, border),
                               border_index(2 * block_y + y, small.height, border), c));
    };
    const double mean = (code(0, 0) + code(1, 0) + code(0, 1) + code(1, 1)) / 4;
    for (int i = 0; i < 16; i++) inputs.push_back((code(i % 4 - 1, i / 4 - 1) - mean) / 64);
  }
  return inputs;
}

inline std::vector<double> through(std::vector<double> values,
                                   const std::vector<networks::NetworkLayer>& layers,
                                   std::span<const float> more_biases = {}) {
  for (size_t i = 0; i < layers.size(); i++) {
    const networks::NetworkLayer& layer = layers[i];
    std::vector<double> made;
    for (int k = 0; k < layer.outputs; k++) {
      double sum = double(layer.biases[size_t(k)]);
      if (i == 0 && !more_biases.empty()) sum += double(more_biases[size_t(k)]);
      for (int input = 0; input < layer.inputs; input++)
        sum += double(layer.weight(k, input, 0)) * values[size_t(input)];
      made.push_back(i + 1 < layers.size() ? std::max(sum, 0.0) : sum);
    }
    values = std::move(made);
  }
  return values;
}

inline std::vector<double> predicted(const SmallNetwork& network, const std::vector<double>& inputs) {
  return through(inputs, network.predictor);
}

inline std::vector<double> outputs_of(const SubmodeNetwork& network, const std::vector<double>& inputs,
                                      TexelSource source) {
  constexpr size_t kWidth = 128;
  return through(inputs, network.layers, std::span(network.sources).subspan(size_t(source) * kWidth, kWidth));
}

struct SmallVectors {
  Picture8 texels;
  size_t submodes = 0, most_outputs = 0;  // number of submodes of BC7, which BC1 and BC5 follow
  // Values by source and block: the predictions, then the outputs of each submode and of both
  // formats, padded to the same length.
  std::vector<std::vector<std::vector<double>>> rows;
};

inline SmallVectors parse_small_vectors(std::span<const std::byte> file) {
  constexpr size_t kFormats = 2;
  // width, height, number of networks, number of sources, largest number of outputs
  uint32_t head[5];
  std::memcpy(head, file.data(), sizeof head);
  const int width = int(head[0]), height = int(head[1]);
  const size_t columns = head[2] * (1 + head[4]) - kFormats, blocks = size_t(width * height / 4);
  if (file.size() != sizeof head + size_t(width * height) * 3 + head[3] * blocks * columns * 2)
    throw std::runtime_error("A file of vectors has another size than its header says.");
  SmallVectors vectors{{width, height}, head[2] - kFormats, head[4], {}};
  const std::byte* next = file.data() + sizeof head;
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) vectors.texels.at(x, y, c) = char(*next++);
  for (size_t i = 3; i < vectors.texels.texels.size(); i += 4) vectors.texels.texels[i] = char(255);
  for (uint32_t source = 0; source < head[3]; source++) {
    auto& of_source = vectors.rows.emplace_back(blocks, std::vector<double>(columns));
    for (auto& row : of_source)
      for (double& value : row) {
        int16_t steps;
        std::memcpy(&steps, next, sizeof steps);
        next += sizeof steps;
        value = steps / 1024.0;
      }
  }
  return vectors;
}

}  // namespace weft::filters::texture
