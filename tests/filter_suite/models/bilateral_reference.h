// SPDX-License-Identifier: Apache-2.0
// Model of the bilateral filter, written from its definitions in double precision. Only tests
// include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/filter_suite/clip.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

struct BilateralPlane {
  const Picture& frame;
  int plane, width, height;
  double deviation_x, deviation_y, deviation_value;
  int maximum;

  int value(int x, int y) const { return frame.at(plane, x, y); }
};

// Returns the bell curve of the normal distribution at 0, 1, 2 ... `count` - 1, unscaled.
inline std::vector<double> bell(int count, double deviation) {
  std::vector<double> values;
  for (int i = 0; i < count; i++) values.push_back(std::exp(-0.5 * (i / deviation) * (i / deviation)));
  return values;
}

// The direct form: a weighted mean of all samples in reach.
class PlainDirect {
 public:
  explicit PlainDirect(const BilateralPlane& of) : of_(of) {}

  int at(int x, int y) const {
    const int own = of_.value(x, y);
    double sum = 0, weights = 0;
    for (int j = std::max(y - reach_y_, 0); j <= std::min(y + reach_y_, of_.height - 1); j++)
      for (int i = std::max(x - reach_x_, 0); i <= std::min(x + reach_x_, of_.width - 1); i++) {
        const int other = of_.value(i, j);
        const double weight = by_x_[size_t(std::abs(i - x))] * by_y_[size_t(std::abs(j - y))] *
                              by_value_[size_t(std::abs(other - own))];
        sum += weight * other;
        weights += weight;
      }
    return int(std::floor(sum / weights + 0.5));
  }

 private:
  const BilateralPlane of_;
  const int reach_x_ = int(std::ceil(3 * of_.deviation_x)), reach_y_ = int(std::ceil(3 * of_.deviation_y));
  const std::vector<double> by_x_ = bell(reach_x_ + 1, of_.deviation_x),
                            by_y_ = bell(reach_y_ + 1, of_.deviation_y),
                            by_value_ = bell(of_.maximum + 1, of_.deviation_value);
};

// The grid form: sums and numbers of samples by position and value, blurred along the three axes.
class PlainGrid {
 public:
  explicit PlainGrid(const BilateralPlane& of) : of_(of) {
    for (int y = 0; y < of.height; y++)
      for (int x = 0; x < of.width; x++) {
        Cell& cell = at(cells_, nearest(x / of.deviation_x), nearest(y / of.deviation_y),
                        nearest(of.value(x, y) / of.deviation_value));
        cell.sum += of.value(x, y);
        cell.count += 1;
      }
    blur(1, 0, 0);
    blur(0, 1, 0);
    blur(0, 0, 1);
  }

  int slice(int x, int y) {
    const double coordinates[3] = {x / of_.deviation_x, y / of_.deviation_y,
                                   of_.value(x, y) / of_.deviation_value};
    Cell total;
    for (int corner = 0; corner < 8; corner++) {
      double weight = 1;
      int cell[3];
      for (int axis = 0; axis < 3; axis++) {
        const double below = std::floor(coordinates[axis]), part = coordinates[axis] - below;
        const bool is_upper = (corner >> axis & 1) != 0;
        cell[axis] = int(below) + (is_upper ? 1 : 0);
        weight *= is_upper ? part : 1 - part;
      }
      total.sum += weight * at(cells_, cell[0], cell[1], cell[2]).sum;
      total.count += weight * at(cells_, cell[0], cell[1], cell[2]).count;
    }
    return int(std::floor(total.sum / total.count + 0.5));
  }

 private:
  struct Cell {
    double sum = 0, count = 0;
  };
  static int nearest(double coordinates) { return int(std::floor(coordinates + 0.5)); }
  // The grid has three more cells at each end than the samples need.
  int side(double samples, double deviation) const { return int(samples / deviation) + 8; }
  Cell& at(std::vector<Cell>& cells, int x, int y, int z) const {
    const int columns = side(of_.width, of_.deviation_x), rows = side(of_.height, of_.deviation_y);
    return cells[(size_t(z + 3) * size_t(rows) + size_t(y + 3)) * size_t(columns) + size_t(x + 3)];
  }
  void blur(int step_x, int step_y, int step_z) {
    static constexpr double kWeights[] = {1, 4, 6, 4, 1};
    std::vector<Cell> blurred(cells_.size());
    for (int z = -1; z < side(of_.maximum, of_.deviation_value) - 5; z++)
      for (int y = -1; y < side(of_.height, of_.deviation_y) - 5; y++)
        for (int x = -1; x < side(of_.width, of_.deviation_x) - 5; x++)
          for (int d = -2; d <= 2; d++) {
            const Cell& from = at(cells_, x + d * step_x, y + d * step_y, z + d * step_z);
            at(blurred, x, y, z).sum += kWeights[d + 2] * from.sum;
            at(blurred, x, y, z).count += kWeights[d + 2] * from.count;
          }
    cells_ = std::move(blurred);
  }

  const BilateralPlane of_;
  std::vector<Cell> cells_ =
      std::vector<Cell>(size_t(side(of_.width, of_.deviation_x)) * size_t(side(of_.height, of_.deviation_y)) *
                        size_t(side(of_.maximum, of_.deviation_value)));
};

inline Clip bilateral(const v1::Bilateral& options, const Clip& clip) {
  Clip result = clip;
  const VideoFormat& format = clip.format;
  const bool is_direct = options.method() == v1::BILATERAL_METHOD_DIRECT || options.sigma() < 4;
  for (size_t i = 0; i < clip.frames.size(); i++)
    for (int plane = 0; plane < format.planes(); plane++) {
      const int width = format.plane_width(plane), height = format.plane_height(plane);
      const double across = plane > 0 ? columns_of_chroma(format.chroma) : 1;
      const double down = plane > 0 ? rows_of_chroma(format.chroma) : 1;
      const int maximum = (1 << format.bit_depth) - 1;
      const BilateralPlane of{clip.frames[i],
                              plane,
                              width,
                              height,
                              options.sigma() / across,
                              options.sigma() / down,
                              options.range() * maximum,
                              maximum};
      const auto fill = [&](const auto& value_at) {
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) result.frames[i].at(plane, x, y) = uint16_t(value_at(x, y));
      };
      if (is_direct) {
        fill([direct = PlainDirect(of)](int x, int y) { return direct.at(x, y); });
      } else {
        PlainGrid grid(of);
        fill([&grid](int x, int y) { return grid.slice(x, y); });
      }
    }
  return result;
}

}  // namespace weft::filters::plain
