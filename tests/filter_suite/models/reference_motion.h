// SPDX-License-Identifier: Apache-2.0
// Model of the motion search and of the uses of its motion vectors, written from their definitions:
// pictures without borders, one block after the other. Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "server/filters/motion/motion.h"
#include "tests/filter_suite/clip.h"
#include "weft/v1/motion.pb.h"

namespace weft::filters::plain {

// A plane with a border that repeats without end.
struct Endless {
  int width = 0, height = 0, maximum = 255;
  std::vector<int> samples{};
  motion::Taps taps = motion::Taps::kSix;
  mutable std::vector<int> halves{};  // -1: not computed yet

  int at(int x, int y) const {
    return samples[size_t(std::clamp(y, 0, height - 1)) * size_t(width) +
                   size_t(std::clamp(x, 0, width - 1))];
  }
  template <typename Tap>
  int filtered(const Tap& tap) const {
    const int middle = tap(0) + tap(1), next = tap(-1) + tap(2), outermost = tap(-2) + tap(3);
    if (taps == motion::Taps::kTwo) return (middle + 1) >> 1;
    if (taps == motion::Taps::kFour) return std::clamp((9 * middle - next + 8) >> 4, 0, maximum);
    return std::clamp((20 * middle - 5 * next + outermost + 16) >> 5, 0, maximum);
  }
  int filtered_half(int x, int y) const {
    const int column = x >> 1, row = y >> 1;
    if (x % 2 == 0 && y % 2 == 0) return at(column, row);
    if (y % 2 == 0) return filtered([&](int i) { return at(column + i, row); });
    if (x % 2 == 0) return filtered([&](int i) { return at(column, row + i); });
    return filtered([&](int i) { return half(2 * (column + i), y); });
  }
  // Returns the sample at a half-sample position. The values are cached, as a search reads the same
  // ones many times. At a distance of three or more samples outside of the plane, the filter reads
  // only border samples.
  int half(int x, int y) const {
    constexpr int kBeyond = 8;  // a number of whole samples, in halves
    const int across = 2 * (width + kBeyond) + 1, down = 2 * (height + kBeyond) + 1;
    const int kept_x = std::clamp(x, -kBeyond, 2 * width + kBeyond),
              kept_y = std::clamp(y, -kBeyond, 2 * height + kBeyond);
    if (halves.empty()) halves.resize(size_t(across) * size_t(down), -1);
    const size_t index = size_t(kept_y + kBeyond) * size_t(across) + size_t(kept_x + kBeyond);
    if (halves[index] < 0) {
      const int value = filtered_half(kept_x, kept_y);  // fills other entries of `halves`
      halves[index] = value;
    }
    return halves[index];
  }
  // Returns the sample at a position in steps of 1 / `pel` sample.
  int step(int x, int y, int pel) const {
    if (pel == 1) return at(x, y);
    if (pel == 2) return half(x, y);
    if (x % 2 == 0 && y % 2 == 0) return half(x / 2, y / 2);
    const int ax = std::abs(x % 2), ay = std::abs(y % 2);
    return (half((x - ax) / 2, (y - ay) / 2) + half((x + ax) / 2, (y + ay) / 2) + 1) >> 1;
  }
  Endless halved() const {
    Endless result{(width + 1) / 2, (height + 1) / 2, maximum, {}, taps};
    constexpr int kWeights[] = {1, 3, 3, 1};
    for (int y = 0; y < result.height; y++)
      for (int x = 0; x < result.width; x++) {
        int sum = 0;
        for (int j = 0; j < 4; j++)
          for (int i = 0; i < 4; i++) sum += kWeights[i] * kWeights[j] * at(2 * x + i - 1, 2 * y + j - 1);
        result.samples.push_back((sum + 32) / 64);
      }
    return result;
  }
};

// Returns the weight of a block along one side. The weights of the blocks over a sample add up to
// 64.
inline int fade(int i, int number, int count, int size, int overlap) {
  const auto rise = [&](int at) {
    const bool is_upper = at >= (overlap + 1) / 2;
    const double sine = std::sin(std::numbers::pi / 2 * ((is_upper ? overlap - 1 - at : at) + 0.5) / overlap);
    if (overlap % 2 == 1 && at == overlap / 2) return 32;
    const int low = int(std::lround(64 * sine * sine));
    return is_upper ? 64 - low : low;
  };
  if (i < overlap && number > 0) return rise(i);
  if (i >= size - overlap && number < count - 1) return 64 - rise(i - (size - overlap));
  return 64;
}

using EndlessPicture = std::vector<Endless>;  // planes of the picture

inline EndlessPicture endless(const Picture& picture, const VideoFormat& format,
                              motion::Taps taps = motion::Taps::kSix) {
  EndlessPicture planes;
  for (int plane = 0; plane < format.planes(); plane++) {
    const auto& samples = picture.planes[size_t(plane)];
    planes.push_back({format.plane_width(plane), format.plane_height(plane), (1 << format.bit_depth) - 1,
                      std::vector<int>(samples.begin(), samples.end()), taps});
  }
  return planes;
}

struct Vector {
  int x = 0, y = 0, sad = 0;
  bool operator==(const Vector&) const = default;
};

// Motion vectors of larger blocks, which a search refines. A vector is kept for a block with a SAD
// of at most `good_sad`.
struct LargerBlocks {
  motion::BlockGrid grid;
  std::vector<Vector> vectors{};
  int good_sad = 0;  // largest SAD, of a smaller block
};

struct MotionModel {
  VideoFormat format;
  motion::BlockGrid grid;
  v1::MotionSearch search = v1::MOTION_SEARCH_HEXAGON;
  int range = 2;
  int pel_range = 0;  // search range on the finest level; 0: `range`
  int lambda_scaling = 0;
  motion::Taps taps = motion::Taps::kSix;
  bool chroma = true;
  int lambda = 100, least_sad = 400, new_penalty = 25, zero_penalty = 25;
  std::optional<LargerBlocks> larger{};

  int columns(int plane) const { return plane == 0 ? 1 : columns_of_chroma(format.chroma); }
  int rows(int plane) const { return plane == 0 ? 1 : rows_of_chroma(format.chroma); }
  static int down(int value, int divisor) { return int(std::floor(double(value) / divisor)); }

  // Returns the motion vectors of the finest level, found on all levels from the coarsest.
  std::vector<Vector> vectors(const EndlessPicture& own, const EndlessPicture& other) const {
    if (larger) return search_level(own, other, 0, std::nullopt, false, own[0]);
    std::vector<EndlessPicture> here{own}, there{other};
    while (std::min(here.back()[0].width, here.back()[0].height) >= 2 * grid.block &&
           here.size() < size_t(motion::kMaxLevels)) {
      EndlessPicture smaller, smaller_other;
      for (const Endless& plane : here.back()) smaller.push_back(plane.halved());
      for (const Endless& plane : there.back()) smaller_other.push_back(plane.halved());
      here.push_back(std::move(smaller));
      there.push_back(std::move(smaller_other));
    }
    std::optional<std::vector<Vector>> predictors;
    for (int level = int(here.size()) - 1; level >= 0; level--)
      for (const bool is_again : {false, true})
        predictors = search_level(here[size_t(level)], there[size_t(level)], level, predictors, is_again,
                                  level + 1 < int(here.size()) ? here[size_t(level) + 1][0] : here[0][0]);
    return *predictors;
  }

 private:
  int scaled(int per_8x8) const { return per_8x8 * grid.block * grid.block / 64; }

  std::vector<Vector> search_level(const EndlessPicture& own, const EndlessPicture& other, int level,
                                   const std::optional<std::vector<Vector>>& predictors, bool is_again,
                                   const Endless& above) const {
    const int across = grid.count(own[0].width), down_blocks = grid.count(own[0].height);
    std::vector<Vector> result;
    for (int by = 0; by < down_blocks; by++)
      for (int bx = 0; bx < across; bx++)
        result.push_back(block(own, other, level, predictors, is_again, above, bx, by, across, down_blocks));
    return result;
  }

  Vector block(const EndlessPicture& own, const EndlessPicture& other, int level,
               const std::optional<std::vector<Vector>>& predictors, bool is_again, const Endless& above,
               int bx, int by, int across, int down_blocks) const {
    const int pel = level == 0 ? grid.pel : 1, step = grid.step();
    const int most = 4095 >> level, reach = grid.block;
    const auto limited = [&](std::pair<int, int> v) {
      return std::pair(std::clamp(v.first, std::max(-(bx * step + reach), -most) * pel,
                                  std::min((across - 1 - bx) * step + reach, most) * pel),
                       std::clamp(v.second, std::max(-(by * step + reach), -most) * pel,
                                  std::min((down_blocks - 1 - by) * step + reach, most) * pel));
    };
    const auto difference = [&](std::pair<int, int> v) {
      int64_t sum = 0;
      for (int plane = 0; plane < (chroma ? format.planes() : 1); plane++) {
        const int cx = columns(plane), cy = rows(plane);
        const int vx = down(v.first, cx), vy = down(v.second, cy);
        for (int y = by * step / cy; y < by * step / cy + grid.block / cy; y++)
          for (int x = bx * step / cx; x < bx * step / cx + grid.block / cx; x++)
            sum += std::abs(own[size_t(plane)].at(x, y) -
                            other[size_t(plane)].step(x * pel + vx, y * pel + vy, pel));
      }
      return int(sum >> (format.bit_depth - 8));
    };
    const auto median = [](int a, int b, int c) {
      std::array<int, 3> sorted = {a, b, c};
      std::sort(sorted.begin(), sorted.end());
      return sorted[1];
    };

    // Vectors of this block and its neighbours (left, right, above, below) from the coarser level
    // or the first pass.
    std::vector<std::pair<int, int>> candidates = {{0, 0}};
    int predictor_sad = 0;
    if (larger) {
      candidates.push_back(from_larger(bx, by, own[0]));
    } else if (predictors) {
      const int offsets[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
      for (const auto& offset : offsets) {
        const int x = std::clamp(bx + offset[0], 0, across - 1),
                  y = std::clamp(by + offset[1], 0, down_blocks - 1);
        if (is_again) {
          const Vector& v = (*predictors)[size_t(y * across + x)];
          candidates.emplace_back(v.x, v.y);
        } else {
          candidates.push_back(from_above(*predictors, above, x, y, level == 0 ? 2 * grid.pel : 2));
        }
      }
      predictor_sad =
          is_again ? (*predictors)[size_t(by * across + bx)].sad : sad_above(*predictors, above, bx, by);
      const auto& c = candidates;
      candidates.emplace_back(median(c[2].first, c[3].first, c[4].first),
                              median(c[2].second, c[3].second, c[4].second));
    } else {
      candidates.emplace_back(0, 0);
    }
    const std::pair<int, int> centre_predictor = candidates[1];
    const int64_t level_lambda =
        int64_t{scaled(lambda)} * (int64_t{1} << (lambda_scaling * level)) / (pel * pel);
    const int64_t least = scaled(least_sad), all = least + predictor_sad / 2;
    const int64_t used_lambda = all == 0 ? level_lambda : level_lambda * least / all * least / all;
    const auto away = [&](std::pair<int, int> v) {
      const int64_t dx = v.first - centre_predictor.first, dy = v.second - centre_predictor.second;
      return int(std::min<int64_t>(used_lambda * (dx * dx + dy * dy) / 256, 1 << 27));
    };

    std::pair<int, int> best;
    int best_sad = 0, best_cost = -1;
    // The second pass leaves out the zero vector, which the first pass tried.
    for (size_t i = is_again || larger ? 1 : 0; i < candidates.size(); i++) {
      const auto v = limited(candidates[i]);
      const int sad = difference(v);
      const int cost = i == 0 ? sad + sad * zero_penalty / 256 : i == 1 ? sad : sad + away(v);
      if (best_cost >= 0 && cost >= best_cost) continue;
      best = v;
      best_sad = sad;
      best_cost = cost;
    }
    const bool stays = larger ? best_sad <= larger->good_sad : is_again && best == limited(centre_predictor);
    if (stays) return {best.first, best.second, best_sad};
    // Tries points around the best one. Returns the index of the new best point, or -1 if none is
    // better.
    const auto round = [&](const std::vector<std::pair<int, int>>& points) {
      const auto centre = best;
      int better = -1;
      for (size_t i = 0; i < points.size(); i++) {
        const auto v = limited({centre.first + points[i].first, centre.second + points[i].second});
        const int sad = difference(v);
        const int cost = sad + sad * new_penalty / 256 + away(v);
        if (cost >= best_cost) continue;
        best = v;
        best_sad = sad;
        best_cost = cost;
        better = int(i);
      }
      return better;
    };
    refine(search, level == 0 && pel_range > 0 ? pel_range : range, round);
    return {best.first, best.second, best_sad};
  }

  using Points = std::vector<std::pair<int, int>>;

  static void refine(v1::MotionSearch search, int steps, const std::function<int(const Points&)>& round) {
    const Points square = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    const Points hexagon = {{-2, 0}, {-1, 2}, {1, 2}, {2, 0}, {1, -2}, {-1, -2}};
    if (search == v1::MOTION_SEARCH_EXHAUSTIVE) {
      Points points;
      for (int y = -steps; y <= steps; y++)
        for (int x = -steps; x <= steps; x++) points.emplace_back(x, y);
      round(points);
      return;
    }
    if (search == v1::MOTION_SEARCH_SQUARE) {
      for (int i = 0; i < steps && round(square) >= 0; i++) {
      }
      return;
    }
    if (search == v1::MOTION_SEARCH_UNEVEN) {
      Points cross;
      for (int i = 0; i < steps; i++)
        for (const auto& [x, y] : Points{{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
          cross.emplace_back(x * (2 * i + 1), y * (2 * i + 1));
      round(cross);
      for (int size = 1; size <= steps; size++) {
        Points large;
        for (const int x : {-4, 4})
          for (int y = -2; y <= 2; y++) large.emplace_back(x * size, y * size);
        for (const int y : {-3, 3})
          for (const int x : {-2, 2}) large.emplace_back(x * size, y * size);
        for (const int y : {-4, 4}) large.emplace_back(0, y * size);
        round(large);
      }
    }
    // The first round tries all points of the hexagon, later rounds only those ahead.
    int ahead = round(hexagon);
    for (int i = 1; i < steps && ahead >= 0; i++) {
      const auto point = [&](int turn) { return hexagon[size_t(ahead + turn + 6) % 6]; };
      const int better = round({point(-1), point(0), point(1)});
      ahead = better < 0 ? -1 : (ahead + better + 5) % 6;
    }
    round(square);
  }

  std::pair<int, int> from_above(const std::vector<Vector>& predictors, const Endless& above, int bx, int by,
                                 int scale) const {
    return mean_around(predictors, grid, above, 2 * bx * grid.step() - grid.block,
                       2 * by * grid.step() - grid.block, scale);
  }
  // Interpolates the vectors of the larger blocks at the centre of a block.
  std::pair<int, int> from_larger(int bx, int by, const Endless& picture) const {
    const int more = 2 * (grid.block - larger->grid.block);
    return mean_around(larger->vectors, larger->grid, picture, 4 * bx * grid.step() + more,
                       4 * by * grid.step() + more, 1);
  }
  // Returns the mean vector over the four blocks around a position, which is in quarters of a
  // sample from the first block.
  static std::pair<int, int> mean_around(const std::vector<Vector>& predictors,
                                         const motion::BlockGrid& blocks, const Endless& picture, int qx,
                                         int qy, int scale) {
    const int across = blocks.count(picture.width), down_blocks = blocks.count(picture.height),
              unit = 4 * blocks.step();
    const int x = down(qx, unit), y = down(qy, unit);
    int sum_x = 0, sum_y = 0;
    for (int j = 0; j < 2; j++)
      for (int i = 0; i < 2; i++) {
        const Vector& v = predictors[size_t(std::clamp(y + j, 0, down_blocks - 1) * across +
                                            std::clamp(x + i, 0, across - 1))];
        const int weight = (i == 1 ? qx - x * unit : unit - (qx - x * unit)) *
                           (j == 1 ? qy - y * unit : unit - (qy - y * unit));
        sum_x += weight * v.x;
        sum_y += weight * v.y;
      }
    return {down(scale * sum_x + unit * unit / 2, unit * unit),
            down(scale * sum_y + unit * unit / 2, unit * unit)};
  }

  int sad_above(const std::vector<Vector>& predictors, const Endless& above, int bx, int by) const {
    const int across = grid.count(above.width), down_blocks = grid.count(above.height),
              unit = 4 * grid.step();
    const int x = down(2 * bx * grid.step() - grid.block + unit / 2, unit);
    const int y = down(2 * by * grid.step() - grid.block + unit / 2, unit);
    return predictors[size_t(std::clamp(y, 0, down_blocks - 1) * across + std::clamp(x, 0, across - 1))].sad;
  }
};

// Returns a picture that is motion-compensated from another one. A block that does not match is
// copied from `picture`.
inline Picture compensated(const Picture& picture, const EndlessPicture& own, const EndlessPicture& other,
                           const std::vector<Vector>& vectors, int least_bad_sad, const MotionModel& model) {
  const motion::BlockGrid& grid = model.grid;
  const int across = grid.count(own[0].width), down = grid.count(own[0].height);
  Picture result = picture;
  for (int plane = 0; plane < model.format.planes(); plane++) {
    const int cx = model.columns(plane), cy = model.rows(plane);
    const int size_x = grid.block / cx, size_y = grid.block / cy;
    const int overlap_x = grid.overlap / cx, overlap_y = grid.overlap / cy;
    const int width = model.format.plane_width(plane), height = model.format.plane_height(plane);
    std::vector<int> sums(size_t(width) * size_t(height));
    for (int block = 0; block < across * down; block++) {
      const Vector& v = vectors[size_t(block)];
      const bool fits = v.sad < least_bad_sad;
      const int bx = block % across, by = block / across;
      for (int j = 0; j < size_y; j++)
        for (int i = 0; i < size_x; i++) {
          const int x = bx * (size_x - overlap_x) + i, y = by * (size_y - overlap_y) + j;
          if (x >= width || y >= height) continue;
          const int value =
              fits ? other[size_t(plane)].step(x * grid.pel + MotionModel::down(v.x, cx),
                                               y * grid.pel + MotionModel::down(v.y, cy), grid.pel)
                   : own[size_t(plane)].at(x, y);
          sums[size_t(y) * size_t(width) + size_t(x)] +=
              value * fade(i, bx, across, size_x, overlap_x) * fade(j, by, down, size_y, overlap_y);
        }
    }
    for (size_t at = 0; at < sums.size(); at++)
      result.planes[size_t(plane)][at] = uint16_t((sums[at] + 2048) / 4096);
  }
  return result;
}

}  // namespace weft::filters::plain
