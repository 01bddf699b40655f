// SPDX-License-Identifier: Apache-2.0
// Parts of the model of KFM: the noise of fields, and the frames that are replaced because of it.
// Only tests include it.
#pragma once

#include <map>
#include <string>

#include "tests/filter_suite/models/reference_cadence.h"

namespace weft::filters::plain::kfm_model {

// The noise of a field: planes of rows.
using Noise = std::vector<Grid>;

// Blurs rows of samples along columns by nine taps of a Gaussian, moved inside at the ends.
inline int blurred_at(const std::vector<int>& line, int at) {
  const int count = int(line.size()), first = std::clamp(at - 4, 0, std::max(count - 9, 0));
  int sum = 0, weights = 0;
  for (int i = first; i < std::min(first + 9, count); i++) {
    const int weight = int(std::lround(4096 * std::exp2(-0.25 * (i - at) * (i - at))));
    sum += weight * line[size_t(i)];
    weights += weight;
  }
  return (sum + weights / 2) / weights;
}

inline Noise noise_of(const Picture& frame, int parity) {
  Noise noise;
  for (int plane = 0; plane < frame.format.planes(); plane++) {
    const int cut_x = 4 / (plane > 0 ? columns_of_chroma(frame.format.chroma) : 1);
    const int cut_y = 4 / (plane > 0 ? rows_of_chroma(frame.format.chroma) : 1);
    const int columns = frame.format.plane_width(plane) - 2 * cut_x,
              rows = frame.format.plane_height(plane) / 2 - 2 * cut_y;
    auto field = grid_of<int>(columns, rows);
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        field[size_t(y)][size_t(x)] = frame.at(plane, x + cut_x, 2 * (y + cut_y) + parity);
    Grid soft = field;
    for (int x = 0; x < columns; x++) {
      std::vector<int> line;
      for (int y = 0; y < rows; y++) line.push_back(field[size_t(y)][size_t(x)]);
      for (int y = 0; y < rows; y++) soft[size_t(y)][size_t(x)] = blurred_at(line, y);
    }
    Grid codes = field;
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++) {
        const int bits = frame.format.bit_depth;
        const int step =
            (field[size_t(y)][size_t(x)] - blurred_at(soft[size_t(y)], x) + (1 << bits)) >> (bits - 7);
        codes[size_t(y)][size_t(x)] = step == 128  ? 128
                                      : step < 127 ? 0
                                      : step < 128 ? 56
                                      : step > 129 ? 255
                                                   : 199;
      }
    noise.push_back(std::move(codes));
  }
  return noise;
}

// Mean of the distance of two noise pictures, or of one from no noise, over planes.
inline double mean_noise(const Noise& a, const Noise* b, size_t begin, size_t end) {
  double sum = 0, count = 0;
  for (size_t plane = begin; plane < std::min(end, a.size()); plane++)
    for (size_t y = 0; y < a[plane].size(); y++)
      for (size_t x = 0; x < a[plane][y].size(); x++, count++)
        sum += std::abs(a[plane][y][x] - (b == nullptr ? 128 : (*b)[plane][y][x]));
  return count > 0 ? sum / count : 0;
}

// Sum of the combs of all samples of a weave; lines of `parity` come from `second`.
inline double comb_sum(const Picture& first, const Picture& second, int parity) {
  double total = 0;
  const double chroma = columns_of_chroma(first.format.chroma) * rows_of_chroma(first.format.chroma) / 4.0;
  for (int plane = 0; plane < first.format.planes(); plane++) {
    const int height = first.format.plane_height(plane);
    const auto row = [&](int x, int y) {
      const int inside = std::clamp(y < 0 ? -1 - y : y >= height ? 2 * height - 1 - y : y, 0, height - 1);
      return int((((y % 2 + 2) % 2) == parity ? second : first).at(plane, x, inside));
    };
    double sum = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < first.format.plane_width(plane); x++)
        sum +=
            std::abs(row(x, y - 2) - 3 * row(x, y - 1) + 4 * row(x, y) - 3 * row(x, y + 1) + row(x, y + 2));
    total += sum * (plane > 0 ? chroma : 1);
  }
  return total / (1 << (first.format.bit_depth - 8));
}

struct Measures {
  double noise[2] = {0, 0}, change[2] = {0, 0};  // luma, chroma
  double comb = 0;
};

inline std::vector<Measures> measures_of(const std::vector<Picture>& frames,
                                         const std::vector<bool>& bottom_first) {
  std::vector<Noise> noise;
  for (size_t n = 0; n < frames.size(); n++)
    for (int k = 0; k < 2; k++) noise.push_back(noise_of(frames[n], bottom_first[n] ? 1 - k : k));
  std::vector<Measures> all;
  for (size_t k = 0; k < noise.size(); k++) {
    const size_t n = k / 2, next = std::min(n + 1, frames.size() - 1);
    Measures measures;
    for (size_t group = 0; group < 2; group++) {
      const size_t begin = group, end = group == 0 ? 1 : 3;
      measures.noise[group] = mean_noise(noise[k], nullptr, begin, end);
      measures.change[group] = mean_noise(noise[std::min(k + 1, noise.size() - 1)], &noise[k], begin, end);
    }
    // The second pair has the first field of the next frame.
    const double comb = k % 2 == 0 ? comb_sum(frames[n], frames[n], 0)
                                   : comb_sum(frames[n], frames[next], bottom_first[n] ? 1 : 0);
    measures.comb = comb / (6.0 * frames[0].format.width * frames[0].format.height) * 100;
    all.push_back(measures);
  }
  return all;
}

enum class Judgement { kClean, kNoisy, kFirst, kSecond };

inline Judgement judge(const Measures& a, const Measures& b, const v1::Kfm& options) {
  if (a.comb < options.fd_thresh()) return Judgement::kClean;
  const int mode = options.ucf_chroma();
  const auto of = [&](const double(&values)[2]) {
    return mode == 2 ? (values[0] + values[1]) / 2 : values[mode];
  };
  const double d = of(a.noise) - of(b.noise), mean = (of(a.noise) + of(b.noise)) / 2,
               change = of(a.change) / 2;
  const double average = mode == 1 ? -1 : mean, m = change - std::abs(d) / 2;
  const double least = m < 7 ? 4 * m : m + 21, most = change + std::abs(d) * options.nrw();
  // The row of th_mode 0 and 5.
  const double y[] = {15, 20, 23, 45, 63}, x[] = {20, 28, 36, 41, 50};
  double threshold = least < x[0] ? y[0] : y[4];
  for (int i = 0; i < 4; i++)
    if (least >= x[i] && least < x[i + 1])
      threshold = y[i] + (y[i + 1] - y[i]) * (least - x[i]) / (x[i + 1] - x[i]);
  if (average >= options.namax_thresh()) threshold = options.namax_diff();
  threshold += d < 0 ? options.off_t() : options.off_b();
  const double size = std::abs(d), sign = d > 0 ? 1 : d < 0 ? -1 : 0;
  const double big = size < 1.8  ? 10 * d
                     : size < 5  ? 5 * d + 9 * sign
                     : size < 10 ? 2 * d + 24 * sign
                                 : d + 34 * sign;
  if (std::abs(big) < threshold)
    return most < options.nrt1y() || (mean > options.nrt2x() && most < options.nrt2y()) ? Judgement::kClean
                                                                                        : Judgement::kNoisy;
  if (average < options.namax_thresh()) return big < 0 ? Judgement::kFirst : Judgement::kSecond;
  return big < 0 ? Judgement::kSecond : Judgement::kFirst;
}

// The fate of a frame: kept, woven from a field on, or made from one side of a field.
struct Fate {
  std::string by;
  int field = 0;
  bool is_masked = false;
};

struct Fates {
  std::vector<Measures> measures;
  std::vector<Judgement> pairs;

  int nearest(int k) const {
    const int frames = int(measures.size()) / 2;
    return 2 * std::clamp(int(std::floor(k / 2.0)), 0, frames - 1) + (k & 1);
  }
  Judgement pair(int k) const { return pairs[size_t(nearest(k))]; }
  double comb(int k) const { return measures[size_t(nearest(k))].comb; }

  Fate of_film(int first, int count) const {
    std::vector<bool> ok(size_t(count), true);
    for (int i = 0; i + 1 < count; i++) {
      const Judgement each = pair(first + i);
      if (each == Judgement::kFirst || each == Judgement::kNoisy) ok[size_t(i + 1)] = false;
      if (each == Judgement::kSecond || each == Judgement::kNoisy) ok[size_t(i)] = false;
    }
    if (std::ranges::count(ok, false) == 0) return {"keep"};
    for (int i = 0; i + 1 < count; i++)
      if (ok[size_t(i)] && ok[size_t(i + 1)]) return {"weave", first + i};
    if (count == 2 && ok[0]) return {"before", first};
    if (count == 2 && ok[1]) return {"after", first + 1};
    return {"keep"};
  }
  Fate of_frame(int n) const {
    if (pair(2 * n) == Judgement::kFirst) return {"before", 2 * n};
    if (pair(2 * n) == Judgement::kSecond) return {"after", 2 * n + 1};
    return {"keep"};
  }
  // 0: usual, 1: noisy, 2: repeats the field before, 3: the field after.
  int flag(int k, const v1::Kfm& options) const {
    const auto above = [&](int at, int a, int b) {
      return comb(at) > options.dup_factor() * (std::max(comb(a), comb(b)) + 1e-4) &&
             comb(at) > options.sc_thresh();
    };
    if (pair(k - 1) == Judgement::kFirst && above(k, k - 3, k - 2)) return 2;
    if (pair(k) == Judgement::kSecond && above(k - 1, k + 1, k + 2)) return 3;
    return pair(k - 1) == Judgement::kNoisy || pair(k) == Judgement::kNoisy ? 1 : 0;
  }
  Fate of_field(int k, const v1::Kfm& options) const {
    const int last = int(measures.size()) - 1;
    const auto at = [&](int i) { return flag(std::clamp(i, 0, last), options); };
    if (at(k) == 2) return {"before", std::max(k - 1, 0), true};
    if (at(k) == 3) return {"after", std::min(k + 1, last), true};
    if (at(k) == 1 || at(k - 1) == 1 || at(k + 1) == 1) return {"keep"};
    if (at(k + 1) > 1) return {"before", k};
    if (at(k - 1) > 1) return {"after", k};
    return {"keep"};
  }
};

inline Fates fates_of(const std::vector<Picture>& frames, const std::vector<bool>& bottom_first,
                      const v1::Kfm& options) {
  Fates fates{.measures = measures_of(frames, bottom_first), .pairs = {}};
  for (size_t k = 0; k < fates.measures.size(); k++)
    fates.pairs.push_back(
        judge(fates.measures[k], fates.measures[std::min(k + 1, fates.measures.size() - 1)], options));
  return fates;
}

}  // namespace weft::filters::plain::kfm_model
