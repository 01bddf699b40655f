// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nnedi/nnedi3_weights.h"

#include <array>
#include <cmath>
#include <cstring>

namespace weft::filters::nnedi {
namespace {

constexpr std::array<std::array<int, 2>, 7> kWindows{
    {{8, 6}, {16, 6}, {32, 6}, {48, 6}, {8, 4}, {16, 4}, {32, 4}}};
constexpr std::array<int, 5> kNeurons{16, 32, 64, 128, 256};
constexpr size_t kOldFloats = 252, kNewFloats = 280;  // floats of a prescreener
constexpr int kNewScreens = 3, kUnits = 4, kOldTaps = 48, kNewTaps = 64;
constexpr double kHalfRange = 127.5;

using Layer = std::vector<Nnedi3Unit>;

// Reads the floats of the file in order.
class Reader {
 public:
  Reader(std::span<const std::byte> file, size_t at) : file_(file), at_(at) {}
  double take() {
    float value = 0;
    std::memcpy(&value, &file_[at_++ * sizeof(float)], sizeof(float));
    return value;
  }

 private:
  std::span<const std::byte> file_;
  size_t at_;
};

Layer take_layer(Reader& reader, int units, int inputs) {
  Layer layer(static_cast<size_t>(units));
  for (Nnedi3Unit& unit : layer)
    for (int i = 0; i < inputs; i++) unit.weights.push_back(reader.take());
  for (Nnedi3Unit& unit : layer) unit.bias = reader.take();
  return layer;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

void take_mean_out(Nnedi3Unit& unit) {
  const double mean = mean_of(unit.weights);
  for (double& weight : unit.weights) weight -= mean;
}

std::vector<Layer> old_screen(std::span<const std::byte> file) {
  Reader reader(file, 0);
  std::vector<Layer> layers;
  for (const int inputs : {kOldTaps, kUnits, 2 * kUnits})
    layers.push_back(take_layer(reader, kUnits, inputs));
  return layers;
}

// Reads a new prescreener. The file interleaves its taps and units.
std::vector<Layer> new_screen(std::span<const std::byte> file, int number) {
  Reader reader(file, kOldFloats + size_t(number) * kNewFloats);
  std::vector<Layer> layers(2, Layer(kUnits));
  for (Nnedi3Unit& unit : layers[0]) unit.weights.resize(kNewTaps);
  for (int eight = 0; eight < kNewTaps; eight += 8)
    for (Nnedi3Unit& unit : layers[0])
      for (int k = 0; k < 8; k++) unit.weights[size_t(eight + k)] = reader.take();
  for (Nnedi3Unit& unit : layers[0]) unit.bias = reader.take();
  for (int input = 0; input < kUnits; input++)
    for (Nnedi3Unit& unit : layers[1]) unit.weights.push_back(reader.take());
  for (Nnedi3Unit& unit : layers[1]) unit.bias = reader.take();
  return layers;
}

// Returns the number of floats of one predictor of a pair.
size_t predictor_floats(size_t neurons, size_t window) {
  return 2 * neurons * size_t(kWindows[window][0] * kWindows[window][1] + 1);
}

// Returns the offset of the pair of predictors, in floats.
size_t predictors_at(const Nnedi3Choice& choice) {
  size_t at = kOldFloats + kNewScreens * kNewFloats;
  for (int etype = 0; etype < 2; etype++)
    for (int nns = 0; nns < int(kNeurons.size()); nns++)
      for (int nsize = 0; nsize < int(kWindows.size()); nsize++) {
        if (etype == choice.etype && nns == choice.nns && nsize == choice.nsize) return at;
        at += 2 * predictor_floats(size_t(kNeurons[size_t(nns)]), size_t(nsize));
      }
  return at;
}

Nnedi3Network::Predictor take_predictor(Reader& reader, int neurons, int taps) {
  Nnedi3Network::Predictor predictor;
  for (Layer* layer : {&predictor.softmax, &predictor.elliott}) {
    layer->resize(size_t(neurons));
    for (Nnedi3Unit& unit : *layer) {
      for (int i = 0; i < taps; i++) unit.weights.push_back(reader.take());
      take_mean_out(unit);
    }
  }
  for (Layer* layer : {&predictor.softmax, &predictor.elliott})
    for (Nnedi3Unit& unit : *layer) unit.bias = reader.take();
  // The mean over all neurons does not distinguish them, so it is removed.
  std::vector<double> common(size_t(taps), 0.0);
  double bias = 0;
  for (const Nnedi3Unit& unit : predictor.softmax) {
    for (size_t i = 0; i < common.size(); i++) common[i] += unit.weights[i] / neurons;
    bias += unit.bias / neurons;
  }
  for (Nnedi3Unit& unit : predictor.softmax) {
    for (size_t i = 0; i < common.size(); i++) unit.weights[i] -= common[i];
    unit.bias -= bias;
  }
  return predictor;
}

}  // namespace

StatusOr<Nnedi3Network> parse_nnedi3(std::span<const std::byte> file, const Nnedi3Choice& choice) {
  if (file.size() != kNnedi3Bytes)
    return invalid_argument(
        "The file has {} bytes, and NNEDI3's weights (nnedi3_weights.bin) have {}; name that file.",
        file.size(), kNnedi3Bytes);
  const auto is_in = [](int value, int first, int last) { return value >= first && value <= last; };
  if (!is_in(choice.nsize, 0, 6) || !is_in(choice.nns, 0, 4) || !is_in(choice.qual, 1, 2) ||
      !is_in(choice.etype, 0, 1) || !is_in(choice.pscrn, 0, 4))
    return invalid_argument(
        "There is no such network of NNEDI3 (nsize {}, nns {}, qual {}, etype {}, pscrn {}); they have 0 to "
        "6, 0 to 4, "
        "1 to 2, 0 to 1 and 0 to 4.",
        choice.nsize, choice.nns, choice.qual, choice.etype, choice.pscrn);
  Reader all(file, 0);
  for (size_t i = 0; i < kNnedi3Bytes / sizeof(float); i++)
    if (!std::isfinite(all.take()))
      return invalid_argument("Number {} of the weights is no number; the file is damaged.", i);
  Nnedi3Network network;
  network.choice = choice;
  network.window_x = kWindows[size_t(choice.nsize)][0];
  network.window_y = kWindows[size_t(choice.nsize)][1];
  network.neurons = kNeurons[size_t(choice.nns)];
  if (choice.pscrn == 1) network.screen = old_screen(file);
  if (choice.pscrn >= 2) network.screen = new_screen(file, choice.pscrn - 2);
  if (!network.screen.empty())
    for (Nnedi3Unit& unit : network.screen[0]) {
      take_mean_out(unit);
      for (double& weight : unit.weights) weight /= kHalfRange;
    }
  Reader reader(file, predictors_at(choice));
  for (int i = 0; i < choice.qual; i++)
    network.predictors.push_back(take_predictor(reader, network.neurons, network.taps()));
  return network;
}

}  // namespace weft::filters::nnedi
