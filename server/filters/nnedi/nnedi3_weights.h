// SPDX-License-Identifier: Apache-2.0
// Reads a user's file nnedi3_weights.bin: 32-bit floats, one network after the other, selected by
// options.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"

namespace weft::filters::nnedi {

inline constexpr size_t kNnedi3Bytes = 13574928;

// The selection of a network by NNEDI3's options.
struct Nnedi3Choice {
  int nsize = 6;  // window: 8x6, 16x6, 32x6, 48x6, 8x4, 16x4, 32x4
  int nns = 1;    // 16, 32, 64, 128, 256 neurons
  int qual = 1;   // number of networks to average
  int etype = 0;  // training target; 0: the absolute error, 1: the squared error
  int pscrn = 2;  // 0: no prescreener, 1: the old one, 2 to 4: the new ones
};

// One filter of a window, or one unit of a layer: its weights and its bias.
struct Nnedi3Unit {
  std::vector<double> weights;
  double bias = 0;
};

// A selected network of a file, prepared for use: means are removed, and the prescreener reads
// 8-bit code values.
struct Nnedi3Network {
  Nnedi3Choice choice;
  int window_x = 0, window_y = 0, neurons = 0;
  std::vector<std::vector<Nnedi3Unit>> screen;  // layers
  struct Predictor {
    std::vector<Nnedi3Unit> softmax, elliott;  // weights of each neuron
  };
  std::vector<Predictor> predictors;

  int taps() const { return window_x * window_y; }
};

// Parses the file. INVALID_ARGUMENT: the file has another size, or contains a value that is not a
// number.
StatusOr<Nnedi3Network> parse_nnedi3(std::span<const std::byte> file, const Nnedi3Choice& choice);

}  // namespace weft::filters::nnedi
