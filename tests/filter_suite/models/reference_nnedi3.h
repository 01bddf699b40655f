// SPDX-License-Identifier: Apache-2.0
// Model of NNEDI3 with a user's weights, in double precision and directly from the file. It shares
// no code with the kernels or their preparation of weights. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "server/filters/nnedi/nnedi3_weights.h"
#include "tests/filter_suite/clip.h"

namespace weft::filters::plain {

// The file's floats and the positions of its networks.
struct Nnedi3Model {
  std::vector<float> file;
  weft::filters::nnedi::Nnedi3Choice choice;

  static constexpr int kColumns[] = {8, 16, 32, 48, 8, 16, 32}, kRows[] = {6, 6, 6, 6, 4, 4, 4};
  int columns() const { return kColumns[choice.nsize]; }
  int rows() const { return kRows[choice.nsize]; }
  int neurons() const { return 16 << choice.nns; }

  size_t predictor(int network) const {
    size_t at = 252 + 3 * 280;
    for (int block = 0; block < 2 * 5 * 7; block++) {
      const int etype = block / 35, nns = block / 7 % 5, nsize = block % 7;
      const size_t floats = size_t(2) * size_t(16 << nns) * size_t(kColumns[nsize] * kRows[nsize] + 1);
      if (etype == choice.etype && nns == choice.nns && nsize == choice.nsize)
        return at + size_t(network) * floats;
      at += 2 * floats;
    }
    return at;
  }
};

// Returns a sample of the field by its row and column, mirrored outside of the field.
using FieldAt = std::function<double(int row, int column)>;

inline double elliott_of(double x) { return x / (1 + std::abs(x)); }

// Returns true if the prescreener passes the sample at `x` between rows `below` - 1 and `below` to
// the predictor.
inline bool is_hard(const Nnedi3Model& model, const FieldAt& field, int below, int x, double half_range) {
  if (model.choice.pscrn == 0) return true;
  const bool is_old = model.choice.pscrn == 1;
  const int columns = is_old ? 12 : 16, taps = 4 * columns;
  const int left = is_old ? x - 5 : x / 4 * 4 - 6;
  const float* file = model.file.data() + (is_old ? 0 : 252 + (model.choice.pscrn - 2) * 280);
  const auto kernel = [&](int unit, int tap) {
    return double(is_old ? file[unit * taps + tap] : file[tap / 8 * 32 + unit * 8 + tap % 8]);
  };
  double first[4], second[4];
  for (int unit = 0; unit < 4; unit++) {
    double mean = 0, sum = file[4 * taps + unit];
    for (int tap = 0; tap < taps; tap++) mean += kernel(unit, tap) / taps;
    for (int tap = 0; tap < taps; tap++)
      sum += (kernel(unit, tap) - mean) / half_range * field(below - 2 + tap / columns, left + tap % columns);
    first[unit] = is_old && unit == 0 ? sum : elliott_of(sum);
  }
  const float* layer = file + 4 * taps + 4;
  for (int unit = 0; unit < 4; unit++) {
    second[unit] = layer[16 + unit];
    for (int k = 0; k < 4; k++) second[unit] += layer[is_old ? unit * 4 + k : k * 4 + unit] * first[k];
  }
  if (!is_old) return !(second[x % 4] > 0);
  double third[4];
  layer += 20;
  for (int unit = 0; unit < 4; unit++) {
    third[unit] = layer[32 + unit];
    for (int k = 0; k < 4; k++)
      third[unit] += layer[unit * 8 + k] * first[k] + layer[unit * 8 + 4 + k] * elliott_of(second[k]);
  }
  return !(std::max(third[2], third[3]) <= std::max(third[0], third[1]));
}

// The weights of a predictor without their means.
struct ModelPredictor {
  std::vector<double> softmax, elliott;  // [neuron][tap]
  std::vector<double> softmax_bias, elliott_bias;

  ModelPredictor(const Nnedi3Model& model, int network) {
    const auto neurons = size_t(model.neurons()), taps = size_t(model.columns() * model.rows());
    const float* at = model.file.data() + model.predictor(network);
    for (std::vector<double>* filters : {&softmax, &elliott}) {
      filters->assign(at, at + neurons * taps);
      at += neurons * taps;
      for (size_t n = 0; n < neurons; n++) {
        double mean = 0;
        for (size_t i = 0; i < taps; i++) mean += (*filters)[n * taps + i] / double(taps);
        for (size_t i = 0; i < taps; i++) (*filters)[n * taps + i] -= mean;
      }
    }
    softmax_bias.assign(at, at + neurons);
    elliott_bias.assign(at + neurons, at + 2 * neurons);
    double bias = 0;
    for (const double value : softmax_bias) bias += value / double(neurons);
    for (double& value : softmax_bias) value -= bias;
    for (size_t i = 0; i < taps; i++) {
      double mean = 0;
      for (size_t n = 0; n < neurons; n++) mean += softmax[n * taps + i] / double(neurons);
      for (size_t n = 0; n < neurons; n++) softmax[n * taps + i] -= mean;
    }
  }

  double result(const std::vector<double>& window) const {
    double mean = 0, variance = 0, count = 0, said = 0;
    for (const double value : window) mean += value / double(window.size());
    for (const double value : window) variance += (value - mean) * (value - mean) / double(window.size());
    const double deviation = variance < 1.1920929e-7 ? 0 : std::sqrt(variance);
    for (size_t n = 0; n < softmax_bias.size(); n++) {
      double a = 0, e = 0;
      for (size_t i = 0; i < window.size(); i++) {
        a += softmax[n * window.size() + i] * window[i];
        e += elliott[n * window.size() + i] * window[i];
      }
      const double scale = deviation > 0 ? 1 / deviation : 0;
      const double weight = std::exp(std::clamp(a * scale + softmax_bias[n], -80.0, 80.0));
      count += weight;
      said += weight * elliott_of(e * scale + elliott_bias[n]);
    }
    return mean + (count > 1e-10 ? 5 * deviation * said / count : 0);
  }
};

// Returns the picture with the rows of parity `kept`, and new rows between them.
inline Picture with_nnedi3_rows(const Nnedi3Model& model, Picture picture, int kept) {
  std::vector<ModelPredictor> predictors;
  for (int i = 0; i < model.choice.qual; i++) predictors.emplace_back(model, i);
  const int maximum = (1 << picture.format.bit_depth) - 1;
  for (int plane = 0; plane < picture.format.planes(); plane++) {
    const int width = picture.format.plane_width(plane), height = picture.format.plane_height(plane);
    if (height == 1) continue;
    const int field_rows = (height - kept + 1) / 2;
    const auto mirrored = [](int at, int count) {
      if (at < 0) at = -at;
      if (at >= count) at = 2 * (count - 1) - at;
      return std::clamp(at, 0, count - 1);
    };
    const Picture source = picture;
    const FieldAt field = [&](int row, int column) {
      return double(source.at(plane, mirrored(column, width), 2 * mirrored(row, field_rows) + kept));
    };
    for (int y = 1 - kept; y < height; y += 2) {
      const int below = (y + 1 - kept) / 2;  // row of the field below row `y`
      for (int x = 0; x < width; x++) {
        double value =
            (19 * (field(below - 1, x) + field(below, x)) - 3 * (field(below - 2, x) + field(below + 1, x))) /
            32;
        if (is_hard(model, field, below, x, maximum / 2.0)) {
          std::vector<double> window;
          for (int row = 0; row < model.rows(); row++)
            for (int column = 0; column < model.columns(); column++)
              window.push_back(field(below - model.rows() / 2 + row, x - (model.columns() / 2 - 1) + column));
          value = 0;
          for (const ModelPredictor& predictor : predictors)
            value += predictor.result(window) / double(predictors.size());
        }
        picture.at(plane, x, y) = uint16_t(std::clamp(std::floor(value + 0.5), 0.0, double(maximum)));
      }
    }
  }
  return picture;
}

}  // namespace weft::filters::plain
