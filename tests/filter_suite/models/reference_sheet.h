// SPDX-License-Identifier: Apache-2.0
// Models of stencils on whole planes, written from the definitions
// (server/filters/nodes/stencil.h). Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tests/filter_suite/clip.h"

namespace weft::filters::plain {

// A plane of code values, or of differences of code values.
struct Sheet {
  int width = 0, height = 0;
  int maximum = 255;
  std::vector<int> samples{};

  int at(int x, int y) const {
    return samples[size_t(std::clamp(y, 0, height - 1)) * size_t(width) +
                   size_t(std::clamp(x, 0, width - 1))];
  }
  // Returns a sample with the rows of one field repeated outside of the plane.
  int in_field(int x, int y) const {
    if (y < 0) y = -y % 2;
    if (y >= height) y = height - 1 - (y - (height - 1)) % 2;
    return at(x, y);
  }
  Sheet each(const std::function<int(int x, int y)>& value) const {
    Sheet result{width, height, maximum, {}};
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) result.samples.push_back(value(x, y));
    return result;
  }
  int code(int value) const { return std::clamp(value, 0, maximum); }
  static int difference(int value) { return std::clamp(value, -32768, 32767); }
  bool is_outermost(int x, int y, int rows) const {
    return x == 0 || x == width - 1 || y < rows || y >= height - rows;
  }

  Sheet column(const std::function<int(int, int)>& choice) const {
    return each([&](int x, int y) { return choice(choice(at(x, y - 1), at(x, y + 1)), at(x, y)); });
  }
  Sheet row(const std::function<int(int, int)>& choice) const {
    return each([&](int x, int y) { return choice(choice(at(x - 1, y), at(x + 1, y)), at(x, y)); });
  }
  static int middle(int a, int b, int c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
  Sheet smooth() const {
    return each([&](int x, int y) {
      if (is_outermost(x, y, 1)) return at(x, y);
      int sum = 8;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) sum += (2 - std::abs(i)) * (2 - std::abs(j)) * at(x + i, y + j);
      return sum >> 4;
    });
  }
  // Returns the eight samples around a sample, sorted; with `with_middle` nine, itself included.
  std::vector<int> around(int x, int y, int step, bool with_middle) const {
    std::vector<int> result;
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++)
        if (with_middle || i != 0 || j != 0)
          result.push_back(step == 2 ? in_field(x + i, y + 2 * j) : at(x + i, y + j));
    std::ranges::sort(result);
    return result;
  }
  Sheet towards_mean(bool is_up) const {
    return each([&](int x, int y) {
      if (is_outermost(x, y, 1)) return at(x, y);
      int sum = 4;
      for (const int value : around(x, y, 1, false)) sum += value;
      return is_up ? std::max(at(x, y), sum >> 3) : std::min(at(x, y), sum >> 3);
    });
  }
  Sheet ranked(int n, int step = 1) const {
    return each([&](int x, int y) {
      if (is_outermost(x, y, step)) return at(x, y);
      const std::vector<int> near = around(x, y, step, false);
      return std::clamp(at(x, y), near[size_t(n - 1)], near[size_t(8 - n)]);
    });
  }
  Sheet ranked_by(const Sheet& other, int n, int step = 1) const {
    return each([&](int x, int y) {
      if (is_outermost(x, y, step)) return at(x, y);
      const std::vector<int> near = other.around(x, y, step, true);
      return std::clamp(at(x, y), near[size_t(n - 1)], near[size_t(9 - n)]);
    });
  }
  // Clamps as Repair(12) does: the bounds include the middle sample of `other`.
  Sheet ranked_by_centred(const Sheet& other, int n) const {
    return each([&](int x, int y) {
      if (is_outermost(x, y, 1)) return at(x, y);
      const std::vector<int> near = other.around(x, y, 1, false);
      return std::clamp(at(x, y), std::min(near[size_t(n - 1)], other.at(x, y)),
                        std::max(near[size_t(8 - n)], other.at(x, y)));
    });
  }
  Sheet blurred(double deviation) const {
    double all = 0;
    for (int i = -4; i <= 4; i++) all += std::exp(-0.5 * i * i / (deviation * deviation));
    std::array<int, 9> taps{};
    int sum = 0;
    for (int i = -4; i <= 4; i++) {
      taps[size_t(i + 4)] =
          int(std::lround(16384 * (std::exp(-0.5 * i * i / (deviation * deviation)) / all)));
      if (i != 0) sum += taps[size_t(i + 4)];
    }
    taps[4] = 16384 - sum;
    const auto pass = [&](const Sheet& from, bool is_column) {
      return from.each([&](int x, int y) {
        int value = 8192;
        for (int i = -4; i <= 4; i++)
          value += taps[size_t(i + 4)] * (is_column ? from.at(x, y + i) : from.at(x + i, y));
        return value >> 14;
      });
    };
    return pass(pass(*this, true), false);
  }
  Sheet minus(const Sheet& other) const {
    return each([&](int x, int y) { return difference(at(x, y) - other.at(x, y)); });
  }
  Sheet sharpened(const Sheet& blurred, double by) const {
    const int64_t factor = std::lround(by * 4096);
    return each([&](int x, int y) {
      return code(int(((4096 + factor) * at(x, y) - factor * blurred.at(x, y) + 2048) >> 12));
    });
  }
  Sheet bounded(const Sheet& a, const Sheet& b, int margin) const {
    return each([&](int x, int y) {
      return std::clamp(at(x, y), code(std::min(a.at(x, y), b.at(x, y)) - margin),
                        code(std::max(a.at(x, y), b.at(x, y)) + margin));
    });
  }
};

inline int smaller(int a, int b) { return std::min(a, b); }
inline int larger(int a, int b) { return std::max(a, b); }

// Returns the planes of a picture.
inline std::vector<Sheet> sheets(const Picture& picture) {
  std::vector<Sheet> result;
  for (int plane = 0; plane < picture.format.planes(); plane++) {
    const auto& samples = picture.planes[size_t(plane)];
    result.push_back({picture.format.plane_width(plane), picture.format.plane_height(plane),
                      (1 << picture.format.bit_depth) - 1, std::vector<int>(samples.begin(), samples.end())});
  }
  return result;
}
// Returns the differences of `input` from `reference` that exceed bobbing lines (stages.h).
inline Sheet repaired(const Sheet& input, const Sheet& reference, int rep) {
  if (rep == 0) return input;
  const int narrow = rep >= 10 ? rep / 10 : rep, wide = rep >= 10 ? rep % 10 : 0;
  const Sheet difference = reference.minus(input);
  const auto choked = [&](bool is_above) {
    const auto less = is_above ? smaller : larger, more = is_above ? larger : smaller;
    Sheet value = difference.column(less);
    if (narrow > 2) value = value.column(less);
    if (narrow > 5) value = value.column(less);
    if (narrow % 3 != 0) value = value.towards_mean(!is_above);
    if (narrow == 2 || narrow == 5) value = value.ranked(4);
    value = value.column(more);
    if (narrow > 1) value = value.column(more);
    if (narrow > 4) value = value.column(more);
    if (wide >= 3) return value.column(more).row(more);
    for (int i = 0; i < wide; i++) value = value.towards_mean(is_above);
    return value;
  };
  const Sheet above = choked(true), below = choked(false);
  return input.each([&](int x, int y) {
    int restored = difference.at(x, y);
    if (restored > 0) restored = std::max(above.at(x, y), 0);
    if (restored < 0) restored = std::min(below.at(x, y), 0);
    return input.code(input.at(x, y) + restored);
  });
}

}  // namespace weft::filters::plain
