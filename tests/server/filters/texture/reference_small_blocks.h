// SPDX-License-Identifier: Apache-2.0
// Decodes the output of a network `small` for a block to texels, in double precision. Follows the
// rules of training/texture/submodes.py for the submodes of BC7, and for BC1 and BC5.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/filters/texture/reference_small.h"

namespace weft::filters::texture {

using Colour = std::array<double, 3>;
using Colours = std::array<Colour, 16>;

// The texels of a block from the filter without a network.
struct SmallBase {
  Colours codes{};
  bool is_vector = false;  // the four small texels of the block are unit vectors
};

inline double code_length(const Colour& colour) {
  double square = 0;
  for (const double code : colour) square += std::pow(code / 127.5 - 1, 2);
  return std::sqrt(square);
}

// A subset or a plane of a block.
struct SmallPart {
  std::array<bool, 16> texels{};
  std::vector<size_t> channels{};
  std::array<int, 3> bits{};  // stored bits per channel, P-bit included
  enum class P { kNone, kEach, kShared } p = P::kNone;
  bool is_p_one = false;                   // the P-bit is 1, as alpha shares it and must be 255
  std::vector<double> edges{}, weights{};  // boundaries between two indices; weights of the indices
};

inline std::vector<double> bc7_weights(int bits) {
  if (bits == 2) return {0, 21, 43, 64};
  if (bits == 3) return {0, 9, 18, 27, 37, 46, 55, 64};
  return {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
}

inline void set_indices(SmallPart& part, int bits) {
  const std::vector<double> weights = bc7_weights(bits);
  for (const double weight : weights) part.weights.push_back(weight / 64);
  for (size_t i = 1; i < weights.size(); i++) part.edges.push_back((weights[i - 1] + weights[i]) / 128);
}

inline std::vector<SmallPart> bc1_parts() {
  SmallPart part{.channels = {0, 1, 2}, .bits = {5, 6, 5}};
  part.texels.fill(true);
  set_indices(part, 2);
  part.weights = {0, 1.0 / 3, 2.0 / 3, 1};
  return {part};
}

inline std::vector<SmallPart> bc5_parts() {
  std::vector<SmallPart> parts;
  for (const size_t channel : {0, 1}) {
    SmallPart part{.channels = {channel}, .bits = {8, 8, 8}};
    part.texels.fill(true);
    for (int i = 0; i < 8; i++) part.weights.push_back(i / 7.0);
    for (int i = 0; i < 7; i++) part.edges.push_back((i + 0.5) / 7);
    parts.push_back(part);
  }
  return parts;
}

inline std::vector<SmallPart> parts_of(const Submode& submode) {
  if (submode.mode == SMALL_BC1) return bc1_parts();
  if (submode.mode == SMALL_BC5) return bc5_parts();
  const plain::Mode& mode = plain::kModes[submode.mode];
  std::vector<SmallPart> parts;
  const bool is_planes = mode.second_bits > 0;
  for (int number = 0; number < (is_planes ? 2 : mode.subsets); number++) {
    SmallPart part;
    const bool is_alone = is_planes && number == 1;
    const size_t alone = size_t(submode.rotation) - 1;
    for (size_t c = 0; c < 3; c++)
      if (!is_planes || (c == alone) == is_alone) part.channels.push_back(c);
    for (size_t i = 0; i < 16; i++)
      part.texels[i] = mode.subsets == 1 ||
                       (mode.subsets == 2 ? plain::kTwoSubsetPatterns
                                          : plain::kThreeSubsetPatterns)[submode.pattern][i] == '0' + number;
    const bool has_p = mode.endpoint_p + mode.shared_p > 0;
    part.bits.fill((is_alone ? mode.alpha_bits : mode.colour_bits) + (has_p ? 1 : 0));
    part.p = mode.endpoint_p > 0 ? SmallPart::P::kEach
             : mode.shared_p > 0 ? SmallPart::P::kShared
                                 : SmallPart::P::kNone;
    part.is_p_one = submode.mode == 6;
    const bool is_second = is_planes && is_alone == (submode.selector == 0);
    set_indices(part, is_second ? mode.second_bits : mode.index_bits);
    parts.push_back(part);
  }
  return parts;
}

using TwoEnds = std::array<Colour, 2>;

inline double widened(double value, int bits) {
  return value * std::exp2(8 - bits) + std::floor(value / std::exp2(2 * bits - 8));
}

// Returns the endpoints as they are decoded, with the P-bits that give the smallest error.
inline TwoEnds stored(const SmallPart& part, const TwoEnds& ends) {
  std::array<TwoEnds, 2> tried;                // endpoints with a P-bit of 0 and of 1
  std::array<std::array<double, 2>, 2> off{};  // squared error by P-bit and endpoint
  TwoEnds plain_ends{};
  for (size_t e = 0; e < 2; e++)
    for (const size_t c : part.channels) {
      const int bits = part.bits[c];
      const double wide = std::floor(std::clamp(ends[e][c], 0.0, 255.0) * 65535 / 255 + 0.5);
      const auto quantised = [&](int to) { return std::floor((std::exp2(to) - 1) * wide / 65536 + 0.5); };
      plain_ends[e][c] = widened(quantised(bits), bits);
      for (size_t p = 0; p < 2; p++) {
        const double half = std::floor((quantised(bits) - double(p) + 1) / 2);
        tried[p][e][c] = widened(2 * std::clamp(half, 0.0, std::exp2(bits - 1) - 1) + double(p), bits);
        off[p][e] += std::pow(tried[p][e][c] - quantised(8), 2);
      }
    }
  if (part.p == SmallPart::P::kNone) return plain_ends;
  if (part.p == SmallPart::P::kShared)
    for (auto& of_bit : off) of_bit[0] = of_bit[1] = of_bit[0] + of_bit[1];
  TwoEnds made;
  for (size_t e = 0; e < 2; e++) made[e] = tried[part.is_p_one || off[1][e] < off[0][e] ? 1 : 0][e];
  return made;
}

// Returns the position of a colour on the line between the endpoints: 0 at the first, 1 at the
// last.
inline double position_between(const SmallPart& part, const TwoEnds& ends, const Colour& colour) {
  double along = 0, square = 0;
  for (const size_t c : part.channels) {
    along += (colour[c] - ends[0][c]) * (ends[1][c] - ends[0][c]);
    square += std::pow(ends[1][c] - ends[0][c], 2);
  }
  return square > 0 ? along / square : 0;
}

inline double weight_at(const SmallPart& part, double position) {
  size_t index = 0;
  while (index < part.edges.size() && position > part.edges[index]) index++;
  return part.weights[index];
}

// Returns the direction of largest variance of the part's texels, by the power method.
inline Colour axis_of(const SmallPart& part, const Colours& texels, const Colour& mean) {
  std::array<Colour, 3> matrix{};
  for (size_t i = 0; i < 16; i++)
    for (const size_t c : part.channels)
      for (const size_t d : part.channels)
        if (part.texels[i]) matrix[c][d] += (texels[i][c] - mean[c]) * (texels[i][d] - mean[d]);
  size_t most = 0;
  for (size_t c = 1; c < 3; c++) most = matrix[c][c] > matrix[most][most] ? c : most;
  Colour axis{};
  axis[most] = matrix[most][most] > 0 ? 1 : 0;
  for (int step = 0; step < 6; step++) {
    Colour next{};
    for (size_t c = 0; c < 3; c++)
      for (size_t d = 0; d < 3; d++) next[c] += matrix[c][d] * axis[d];
    const double length = std::hypot(next[0], next[1], next[2]);
    for (size_t c = 0; c < 3; c++) axis[c] = length > 0 ? next[c] / length : 0;
  }
  return axis;
}

// Returns the endpoints of the part: first along its axis, then refined by one least-squares pass.
// The texels have integer code values.
inline TwoEnds fitted(const SmallPart& part, const Colours& texels) {
  Colour mean{};
  double count = 0;
  for (size_t i = 0; i < 16; i++) {
    count += part.texels[i] ? 1 : 0;
    for (size_t c = 0; c < 3; c++) mean[c] += part.texels[i] ? texels[i][c] : 0;
  }
  for (double& value : mean) value /= count;
  const Colour axis = axis_of(part, texels, mean);
  double least = 1e9, most = -1e9;
  for (size_t i = 0; i < 16; i++) {
    double position = 0;
    for (const size_t c : part.channels) position += (texels[i][c] - mean[c]) * axis[c];
    if (part.texels[i]) least = std::min(least, position), most = std::max(most, position);
  }
  TwoEnds ends{};
  for (const size_t c : part.channels) {
    ends[0][c] = std::clamp(mean[c] + axis[c] * least, 0.0, 255.0);
    ends[1][c] = std::clamp(mean[c] + axis[c] * most, 0.0, 255.0);
  }
  const TwoEnds line = stored(part, ends);
  double a = 0, b = 0, d = 0;
  Colour first{}, last{};
  for (size_t i = 0; i < 16; i++) {
    if (!part.texels[i]) continue;
    const double w = weight_at(part, position_between(part, line, texels[i]));
    a += (1 - w) * (1 - w), b += (1 - w) * w, d += w * w;
    for (const size_t c : part.channels) first[c] += (1 - w) * texels[i][c], last[c] += w * texels[i][c];
  }
  const double determinant = a * d - b * b;
  if (determinant < 0.01) return ends;
  for (const size_t c : part.channels) {
    ends[0][c] = std::clamp((d * first[c] - b * last[c]) / determinant, 0.0, 255.0);
    ends[1][c] = std::clamp((a * last[c] - b * first[c]) / determinant, 0.0, 255.0);
  }
  return ends;
}

// Returns the texels of the block; blue of BC5 is 0.
inline Colours small_block(const Submode& submode, const SmallBase& base,
                           const std::vector<double>& outputs) {
  constexpr double kUnit = 16, kLonger = 1 + 1.5 / 127.5;
  Colours rounded = base.codes, made{};
  for (Colour& colour : rounded)
    for (double& code : colour) code = std::floor(std::clamp(code, 0.0, 255.0) + 0.5);
  const std::vector<SmallPart> parts = parts_of(submode);
  size_t indices = 0;
  for (const SmallPart& part : parts) indices += 2 * part.channels.size();
  const bool is_planes = parts.size() > 1 && parts[0].texels == parts[1].texels;
  size_t next = 0;
  for (size_t number = 0; number < parts.size(); number++) {
    const SmallPart& part = parts[number];
    TwoEnds ends = fitted(part, rounded);
    for (Colour& end : ends) {
      for (const size_t c : part.channels) end[c] += kUnit * outputs[next++];
      const double longer = std::max(kLonger / std::max(code_length(end), 1e-3), 1.0);
      if (base.is_vector && part.channels.size() == 3)
        for (double& code : end) code = ((code / 127.5 - 1) * longer + 1) * 127.5;
    }
    ends = stored(part, ends);
    for (size_t i = 0; i < 16; i++) {
      if (!part.texels[i]) continue;
      const double moved = outputs[indices + i + (is_planes ? 16 * number : 0)];
      const double position = position_between(part, ends, base.codes[i]) + moved;
      const double w = weight_at(part, std::clamp(position, 0.0, 1.0));
      for (const size_t c : part.channels)
        made[i][c] = std::floor(ends[0][c] + w * (ends[1][c] - ends[0][c]) + 0.5);
    }
  }
  return made;
}

// Returns the filter's texels of all blocks of an opaque texture with even sides.
inline std::vector<SmallBase> small_bases(const Picture8& small, int border, bool is_normal) {
  const int across = small.width / 2, width = 2 * small.width;
  std::vector<SmallBase> bases(size_t(across * small.height / 2));
  std::array<Plane, 3> planes;
  for (size_t c = 0; c < 3; c++) {
    Plane given(size_t(small.width * small.height));
    for (size_t i = 0; i < given.size(); i++) given[i] = uint8_t(small.texels[4 * i + c]);
    planes[c] = enlarged(given, small.width, small.height, border, 1);
    restore_means(planes[c], given, small.width, small.height);
  }
  const auto is_unit = [&](int x, int y) {
    Colour colour;
    for (size_t c = 0; c < 3; c++) colour[c] = small.code(x, y, int(c));
    const double half_codes = 255 * code_length(colour);
    return is_normal && half_codes >= UNIT_LEAST && half_codes <= UNIT_MOST;
  };
  for (size_t block = 0; block < bases.size(); block++) {
    SmallBase& base = bases[block];
    base.is_vector = is_normal;
    for (size_t i = 0; i < 16; i++) {
      const int x = 4 * (int(block) % across) + int(i % 4), y = 4 * (int(block) / across) + int(i / 4);
      Colour& colour = base.codes[i];
      for (size_t c = 0; c < 3; c++) colour[c] = std::clamp(planes[c][size_t(y * width + x)], -64.0, 319.0);
      const bool is_vector = is_unit(x / 2, y / 2);
      base.is_vector = base.is_vector && is_vector;
      const double length = code_length(colour);
      if (is_vector && length > 0)
        for (double& code : colour) code = ((code / 127.5 - 1) / length + 1) * 127.5;
    }
  }
  return bases;
}

}  // namespace weft::filters::texture
