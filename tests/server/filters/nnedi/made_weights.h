// SPDX-License-Identifier: Apache-2.0
// A file of the size and layout of nnedi3_weights.bin, with random weights.
#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "server/filters/nnedi/nnedi3_weights.h"

namespace weft::filters {

// Returns random weights. Those of the prescreeners come first. They are large, so that the
// prescreener accepts some samples and few lie close to its threshold.
inline const std::vector<float>& made_floats() {
  static const std::vector<float> made = [] {
    std::mt19937 random(17);
    std::vector<float> floats(nnedi::kNnedi3Bytes / sizeof(float));
    for (size_t i = 0; i < floats.size(); i++) {
      const float value = float(random() % 2001) / 1000 - 1;
      floats[i] = value * (i < 252 + 3 * 280 ? 1.0f : 0.2f);
    }
    return floats;
  }();
  return made;
}

inline std::vector<std::byte> made_file() {
  std::vector<std::byte> bytes(nnedi::kNnedi3Bytes);
  std::memcpy(bytes.data(), made_floats().data(), bytes.size());
  return bytes;
}

}  // namespace weft::filters
