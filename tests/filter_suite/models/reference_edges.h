// SPDX-License-Identifier: Apache-2.0
// Model of the edge network in plain C++ and double precision, one plane at a time. It shares no
// code with the kernels. Only tests include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "server/filters/nnedi/edge_network.h"
#include "tests/filter_suite/clip.h"

namespace weft::filters::plain {

// Rows of doubles. Outside of them is zero, or the repeated border.
struct Map {
  int width = 0, height = 0;
  std::vector<double> values{};

  Map(int map_width, int map_height)
      : width(map_width), height(map_height), values(size_t(map_width) * size_t(map_height)) {}
  double* row(int y) { return &values[size_t(y) * size_t(width)]; }
  const double* row(int y) const { return &values[size_t(y) * size_t(width)]; }
  double repeated(int x, int y) const {
    return row(std::clamp(y, 0, height - 1))[std::clamp(x, 0, width - 1)];
  }
};
using FeatureMaps = std::vector<Map>;

inline void rectify(FeatureMaps& features) {
  for (Map& map : features)
    for (double& value : map.values) value = std::max(value, 0.0);
}

// Returns a 3x3 convolution with zeros outside of the maps.
inline FeatureMaps convolved(const weft::filters::networks::NetworkLayer& layer, const FeatureMaps& from) {
  const int width = from[0].width, height = from[0].height;
  FeatureMaps result;
  for (int output = 0; output < layer.outputs; output++) {
    Map& to = result.emplace_back(width, height);
    std::ranges::fill(to.values, double(layer.biases[size_t(output)]));
    for (int input = 0; input < layer.inputs; input++)
      for (int tap = 0; tap < 9; tap++) {
        const int dy = tap / 3 - 1, dx = tap % 3 - 1;
        const double weight = layer.weight(output, input, tap);
        for (int y = std::max(0, -dy); y < std::min(height, height - dy); y++) {
          const double* source = from[size_t(input)].row(y + dy) + dx;
          double* target = to.row(y);
          for (int x = std::max(0, -dx); x < std::min(width, width - dx); x++)
            target[x] += weight * source[x];
        }
      }
  }
  return result;
}

// Returns the output of the network's last layer. `field` has rows of 8-bit code values with a
// fraction. Row y of the result belongs between rows y and y + 1 of the field.
inline Map tail_of(const weft::filters::nnedi::EdgeNetwork& network, const Map& field) {
  FeatureMaps features;
  for (int output = 0; output < network.channels; output++) {
    Map& map = features.emplace_back(field.width, field.height);
    for (int y = 0; y < field.height; y++)
      for (int x = 0; x < field.width; x++) {
        double sum = network.head.biases[size_t(output)];
        for (int tap = 0; tap < 28; tap++)
          sum += network.head.weight(output, 0, tap) *
                 ((field.repeated(x + tap % 7 - 3, y + tap / 7 - 1) - 128) / 64);
        map.row(y)[x] = sum;
      }
  }
  const bool is_residual = network.body.size() > 1;
  if (!is_residual) {
    rectify(features);
    features = convolved(network.body[0], features);
  }
  for (size_t block = 0; is_residual && block < network.body.size(); block += 2) {
    FeatureMaps inner = convolved(network.body[block], features);
    rectify(inner);
    inner = convolved(network.body[block + 1], inner);
    for (size_t i = 0; i < features.size(); i++)
      for (size_t k = 0; k < features[i].values.size(); k++) features[i].values[k] += inner[i].values[k];
  }
  rectify(features);
  return convolved(network.tail, features)[0];
}

// Replaces the missing rows of a plane. Rows 0, 2, 4 ... are kept, or with `first` = 1 rows 1, 3, 5
// ... of a plane with an odd number of rows.
inline void make_missing_rows(const weft::filters::nnedi::EdgeNetwork& network, Map& plane, int first,
                              int bit_depth) {
  const double unit = double(1 << (bit_depth - 8));  // code values per code value of 8 bits
  Map field(plane.width, (plane.height + 1) / 2);
  for (int y = 0; y < field.height; y++) {
    // If the first kept row is row 1, it repeats above the border.
    const int row = std::max(2 * y - first, first);
    for (int x = 0; x < plane.width; x++) field.row(y)[x] = plane.row(row)[x] / unit;
  }
  const Map tail = tail_of(network, field);
  for (int y = 0; y < field.height; y++) {
    const int row = 2 * y + 1 - first;
    if (row >= plane.height) continue;
    for (int x = 0; x < plane.width; x++) {
      double lowest = field.repeated(x, y), highest = lowest;
      for (int tap = 0; tap < 28; tap++) {
        const double seen = field.repeated(x + tap % 7 - 3, y + tap / 7 - 1);
        lowest = std::min(lowest, seen), highest = std::max(highest, seen);
      }
      double value = (9 * (field.repeated(x, y) + field.repeated(x, y + 1)) - field.repeated(x, y - 1) -
                      field.repeated(x, y + 2)) /
                     16;
      if (highest - lowest > network.prescreen) value += 16 * tail.row(y)[x];
      plane.row(row)[x] = std::clamp(std::floor(value * unit + 0.5), 0.0, 256 * unit - 1);
    }
  }
}

// Returns the picture with the rows of parity `kept`, and new rows between them.
inline Picture with_made_rows(const weft::filters::nnedi::EdgeNetwork& network, Picture picture, int kept) {
  for (int number = 0; number < picture.format.planes(); number++) {
    const int width = picture.format.plane_width(number), height = picture.format.plane_height(number);
    if (height == 1) continue;
    Map plane(width, height);
    const auto row_of = [&](int y) { return kept == 1 ? height - 1 - y : y; };
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) plane.row(row_of(y))[x] = picture.at(number, x, y);
    make_missing_rows(network, plane, kept == 1 ? height % 2 : 0, picture.format.bit_depth);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) picture.at(number, x, y) = uint16_t(plane.row(row_of(y))[x]);
  }
  return picture;
}

}  // namespace weft::filters::plain
