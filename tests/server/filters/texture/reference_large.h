// SPDX-License-Identifier: Apache-2.0
// The network `large` in double precision, and PyTorch's output for a small texture
// (training/texture/train.py).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/filters/texture/large_network.h"
#include "tests/server/filters/texture/plain_resampling.h"

namespace weft::filters::texture {

// Features, all of one size: [channel][y][x].
struct Features {
  int channels, width, height;
  std::vector<double> values = std::vector<double>(size_t(channels) * size_t(width) * size_t(height));

  double& at(int c, int x, int y) {
    return values[(size_t(c) * size_t(height) + size_t(y)) * size_t(width) + size_t(x)];
  }
  double at(int c, int x, int y) const { return const_cast<Features*>(this)->at(c, x, y); }
};

// Returns the 3x3 convolution, which is one texel smaller on each side.
inline Features convolved(const Features& from, const networks::NetworkLayer& layer, bool rectifies) {
  Features to{layer.outputs, from.width - 2, from.height - 2};
  for (int c = 0; c < to.channels; c++) {
    for (int y = 0; y < to.height; y++)
      for (int x = 0; x < to.width; x++) to.at(c, x, y) = layer.biases[size_t(c)];
    for (int input = 0; input < from.channels; input++)
      for (int tap = 0; tap < 9; tap++) {
        const double weight = layer.weight(c, input, tap);
        for (int y = 0; y < to.height; y++) {
          const double* row =
              &from.values[(size_t(input) * size_t(from.height) + size_t(y + tap / 3)) * size_t(from.width) +
                           size_t(tap % 3)];
          double* sums = &to.at(c, 0, y);
          for (int x = 0; x < to.width; x++) sums[x] += weight * row[x];
        }
      }
    if (rectifies)
      for (int y = 0; y < to.height; y++)
        for (int x = 0; x < to.width; x++) to.at(c, x, y) = std::max(to.at(c, x, y), 0.0);
  }
  return to;
}

// Returns the value that the network adds to each texel at twice the size: three channels, in code
// values.
inline Features corrections_of(const LargeNetwork& network, const Picture8& texels, int border,
                               TexelSource source) {
  Features h{3, texels.width + 2 * network.margin(), texels.height + 2 * network.margin()};
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < h.height; y++)
      for (int x = 0; x < h.width; x++) {
        const int code = texels.code(border_index(x - network.margin(), texels.width, border),
                                     border_index(y - network.margin(), texels.height, border), c);
        h.at(c, x, y) = (code - 128) / 64.0;
      }
  h = convolved(h, network.head_of(source), false);
  for (size_t i = 0; i < network.body.size(); i += 2) {
    Features added = convolved(convolved(h, network.body[i], true), network.body[i + 1], false);
    for (int c = 0; c < added.channels; c++)
      for (int y = 0; y < added.height; y++)
        for (int x = 0; x < added.width; x++) added.at(c, x, y) += h.at(c, x + 2, y + 2);
    h = std::move(added);
  }
  h = convolved(h, network.tail, false);
  Features made{3, 2 * h.width, 2 * h.height};
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < made.height; y++)
      for (int x = 0; x < made.width; x++)
        made.at(c, x, y) = 32 * h.at(4 * c + 2 * (y % 2) + x % 2, x / 2, y / 2);
  return made;
}

// Returns one channel at twice the size, neither rounded nor clamped.
inline Plane plain_large(const Picture8& texels, const Features& corrections, int border, int channel) {
  Plane given(size_t(texels.width) * size_t(texels.height));
  for (size_t i = 0; i < given.size(); i++) given[i] = uint8_t(texels.texels[4 * i + size_t(channel)]);
  Plane large = enlarged(given, texels.width, texels.height, border, 1);
  if (channel < 3)
    for (int y = 0; y < corrections.height; y++)
      for (int x = 0; x < corrections.width; x++)
        large[size_t(y * corrections.width + x)] += corrections.at(channel, x, y);
  restore_means(large, given, texels.width, texels.height);
  return large;
}

struct Vectors {
  Picture8 texels;
  std::vector<Features> corrections;  // one for each of the first sources
  double step;                        // rounding step of the corrections
};

inline Vectors parse_vectors(std::span<const std::byte> file) {
  uint32_t head[4];  // width, height, number of sources, steps per code value
  std::memcpy(head, file.data(), sizeof head);
  const int width = int(head[0]), height = int(head[1]);
  if (file.size() != sizeof head + size_t(width * height) * 3 * (1 + 8 * head[2]))
    throw std::runtime_error("A file of vectors has another size than its header says.");
  Vectors vectors{{width, height}, {}, 1.0 / head[3]};
  const std::byte* next = file.data() + sizeof head;
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) vectors.texels.at(x, y, c) = char(*next++);
  for (uint32_t source = 0; source < head[2]; source++) {
    Features made{3, 2 * width, 2 * height};
    for (double& value : made.values) {
      int16_t steps;
      std::memcpy(&steps, next, sizeof steps);
      next += sizeof steps;
      value = steps * vectors.step;
    }
    vectors.corrections.push_back(std::move(made));
  }
  return vectors;
}

}  // namespace weft::filters::texture
