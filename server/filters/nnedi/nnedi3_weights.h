// SPDX-License-Identifier: Apache-2.0
// A user's own file nnedi3_weights.bin: floats of 32 bits, one network after the other, of which options choose.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"

namespace weft::filters::nnedi {

inline constexpr size_t kNnedi3Bytes = 13574928;

// As NNEDI3 has them.
struct Nnedi3Choice {
  int nsize = 6;  // the window: 8x6, 16x6, 32x6, 48x6, 8x4, 16x4, 32x4
  int nns = 1;    // 16, 32, 64, 128, 256 neurons
  int qual = 1;   // networks whose mean is taken
  int etype = 0;  // trained for: 0 the absolute error, 1 the squared one
  int pscrn = 2;  // 0: no prescreener, 1: the old one, 2 to 4: the new ones
};

// One filter of a window, or one unit: its weights, then its bias.
struct Nnedi3Unit {
  std::vector<double> weights;
  double bias = 0;
};

// What is chosen of a file, ready to be used: means are taken out, and the prescreener takes codes of 8 bits.
struct Nnedi3Network {
  Nnedi3Choice choice;
  int window_x = 0, window_y = 0, neurons = 0;
  std::vector<std::vector<Nnedi3Unit>> screen;  // layers
  struct Predictor {
    std::vector<Nnedi3Unit> softmax, elliott;  // of each neuron
  };
  std::vector<Predictor> predictors;

  int taps() const { return window_x * window_y; }
};

// INVALID_ARGUMENT: the file has another size, or a value that is no number.
StatusOr<Nnedi3Network> parse_nnedi3(std::span<const std::byte> file, const Nnedi3Choice& choice);

}  // namespace weft::filters::nnedi
