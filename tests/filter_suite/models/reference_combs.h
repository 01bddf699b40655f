// SPDX-License-Identifier: Apache-2.0
// Parts of the model of KFM: statistics of blocks of each field, and the combed parts of frames.
// Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/filter_suite/clip.h"
#include "weft/v1/kfm.pb.h"

namespace weft::filters::plain::kfm_model {

using Grid = std::vector<std::vector<int>>;  // rows of cells
struct Cell {
  int comb = 0, move = 0;
};
using CellGrid = std::vector<std::vector<Cell>>;
template <class T>
std::vector<std::vector<T>> grid_of(int columns, int rows) {
  return std::vector<std::vector<T>>(size_t(rows), std::vector<T>(size_t(columns)));
}
using FieldCells = std::vector<CellGrid>;  // by plane

inline int distance(int a, int b) { return std::abs(a - b); }
inline bool is_bottom_first(const v1::Kfm& options, const FrameInfo& info) {
  if (options.parity() != v1::PARITY_AUTO) return options.parity() == v1::PARITY_BOTTOM;
  return info.interlaced && !info.top_field_first;
}

// The total variation of eight lines less that of their fields.
inline int comb_of(const std::array<int, 8>& line) {
  int total = 0;
  for (size_t i = 0; i < 7; i++) total += distance(line[i], line[i + 1]);
  const int ends = distance(line[0], line[7]);
  const int even = distance(line[0], line[2]) + distance(line[2], line[4]) + distance(line[4], line[6]) +
                   distance(line[6], line[7]);
  const int odd = distance(line[0], line[1]) + distance(line[1], line[3]) + distance(line[3], line[5]) +
                  distance(line[5], line[7]);
  return (total - ends) - (even - ends) - (odd - ends);
}

inline int cells_along(int samples, int of_chroma) {
  return ((samples + 7) / 8 * 2 + of_chroma - 1) / of_chroma;
}

// Returns the cells of both fields of a frame in order of time.
inline std::array<FieldCells, 2> cells_of(const Picture& now, const Picture& next, bool bottom_first) {
  std::array<FieldCells, 2> fields;
  const int first = bottom_first ? 1 : 0, shift = 4 + now.format.bit_depth - 8;
  for (int plane = 0; plane < now.format.planes(); plane++) {
    const int columns = cells_along(now.format.width, plane > 0 ? columns_of_chroma(now.format.chroma) : 1);
    const int rows = cells_along(now.format.height, plane > 0 ? rows_of_chroma(now.format.chroma) : 1);
    for (int k = 0; k < 2; k++) {
      auto grid = grid_of<Cell>(columns, rows);
      for (int by = 0; 4 * by + 8 <= now.format.plane_height(plane); by++)
        for (int bx = 0; 4 * bx + 8 <= now.format.plane_width(plane); bx++) {
          int comb = 0, move = 0;
          for (int x = 4 * bx; x < 4 * bx + 8; x++) {
            std::array<int, 8> line{};
            for (int i = 0; i < 8; i++) {
              const int y = 4 * by + i;
              // The second weave has the first field of the next frame.
              line[size_t(i)] = k == 1 && y % 2 == first ? next.at(plane, x, y) : now.at(plane, x, y);
              if (y % 2 == (k == 0 ? first : 1 - first))
                move += distance(now.at(plane, x, y), next.at(plane, x, y));
            }
            comb += comb_of(line);
          }
          grid[size_t(by) + 1][size_t(bx) + 1] = {std::clamp(comb >> shift, 0, 255),
                                                  std::clamp(move >> shift, 0, 255)};
        }
      fields[size_t(k)].push_back(std::move(grid));
    }
  }
  return fields;
}

inline std::vector<FieldCells> cleaned(const std::vector<FieldCells>& fields) {
  std::vector<FieldCells> result = fields;
  for (size_t k = 0; k < fields.size(); k++)
    for (size_t plane = 0; plane < fields[k].size(); plane++)
      for (size_t y = 0; y < fields[k][plane].size(); y++)
        for (size_t x = 0; x < fields[k][plane][y].size(); x++) {
          const int threshold = plane == 0 ? 10 : 8;
          const int before = fields[k > 0 ? k - 1 : 0][plane][y][x].move;
          if (before <= threshold && fields[k][plane][y][x].move <= threshold)
            result[k][plane][y][x].comb = 0;
        }
  return result;
}

struct Counts {
  int move = 0, combs = 0, large = 0;
};
inline Counts counts_of(const FieldCells& field, const VideoFormat& format) {
  Counts luma, chroma;
  for (size_t plane = 0; plane < field.size(); plane++) {
    Counts& to = plane == 0 ? luma : chroma;
    for (const auto& row : field[plane])
      for (const Cell& cell : row) {
        to.move += cell.move >= (plane == 0 ? 20 : 24);
        to.combs += cell.comb >= (plane == 0 ? 12 : 16);
        to.large += cell.comb >= (plane == 0 ? 36 : 48);
      }
  }
  const int by = columns_of_chroma(format.chroma) * rows_of_chroma(format.chroma);
  return {luma.move + chroma.move * by / 4, luma.combs + chroma.combs * by / 4,
          luma.large + chroma.large * by / 4};
}

inline CellGrid bordered(CellGrid grid) {
  for (auto& row : grid) row[0] = row[std::min<size_t>(1, row.size() - 1)];
  grid[0] = grid[std::min<size_t>(1, grid.size() - 1)];
  return grid;
}

// Combs of a film frame: the maximum over the weaves of its adjacent fields.
inline FieldCells film_cells(const std::vector<FieldCells>& fields, int first, int count) {
  const int most = int(fields.size()) - 1;
  // Fields before the first frame are those of the first frame, by parity.
  const auto at = [&](int k) { return k < 0 ? k + 2 : std::min(k, most); };
  FieldCells result = fields[size_t(at(first))];
  for (int i = 1; i < count - 1; i++)
    for (size_t plane = 0; plane < result.size(); plane++)
      for (size_t y = 0; y < result[plane].size(); y++)
        for (size_t x = 0; x < result[plane][y].size(); x++)
          result[plane][y][x].comb =
              std::max(result[plane][y][x].comb, fields[size_t(at(first + i))][plane][y][x].comb);
  for (CellGrid& grid : result) grid = bordered(grid);
  return result;
}

inline Grid mean_of(const std::vector<FieldCells>& series, size_t n, size_t plane) {
  const FieldCells &before = series[n > 0 ? n - 1 : 0], &here = series[n],
                   &after = series[std::min(n + 1, series.size() - 1)];
  Grid grid;
  for (size_t y = 0; y < here[plane].size(); y++) {
    grid.emplace_back();
    for (size_t x = 0; x < here[plane][y].size(); x++)
      grid.back().push_back((before[plane][y][x].comb + here[plane][y][x].comb + after[plane][y][x].comb) /
                            3);
  }
  return grid;
}

inline int cell(const Grid& grid, int x, int y) {
  return y < 0 || x < 0 || y >= int(grid.size()) || x >= int(grid[0].size()) ? 0 : grid[size_t(y)][size_t(x)];
}

// Extends each cell to the left and upwards; the first row and column repeat the next ones.
inline Grid extended(const Grid& grid, bool in_x, bool in_y) {
  Grid result = grid;
  const int rows = int(grid.size()), columns = int(grid[0].size());
  if (in_x)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        result[size_t(y)][size_t(x)] = x == 0 ? cell(grid, std::min(1, columns - 1), y)
                                              : std::max(cell(grid, x, y), cell(grid, x + 1, y));
  const Grid wide = result;
  if (in_y)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        result[size_t(y)][size_t(x)] =
            y == 0 ? cell(wide, x, std::min(1, rows - 1)) : std::max(cell(wide, x, y), cell(wide, x, y + 1));
  return result;
}

inline Grid reduced(const Grid& grid, int columns, int rows) {
  const bool half_x = int(grid[0].size()) > columns, half_y = int(grid.size()) > rows;
  const Grid wide = extended(grid, half_x, half_y);
  auto result = grid_of<int>(columns, rows);
  for (int y = half_y ? 1 : 0; y < rows; y++)
    for (int x = half_x ? 1 : 0; x < columns; x++) {
      const int left = half_x ? 2 * x - 1 : x * int(grid[0].size()) / columns,
                top = half_y ? 2 * y - 1 : y * int(grid.size()) / rows;
      int sum = 0, count = 0;
      for (int v = top; v <= top + (half_y ? 1 : 0); v++)
        for (int u = left; u <= left + (half_x ? 1 : 0); u++, count++) sum += cell(wide, u, v);
      result[size_t(y)][size_t(x)] = (sum + count / 2) / count;
    }
  return result;
}

inline Grid blurred(const Grid& grid) {
  Grid result = grid;
  for (int y = 0; y < int(grid.size()); y++)
    for (int x = 0; x < int(grid[0].size()); x++) {
      int sum = 0;
      for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++) sum += cell(grid, u, v);
      result[size_t(y)][size_t(x)] = std::min(255, sum >> 2);
    }
  return result;
}

struct Mask {
  Grid cells;
  bool is_used = false;
};
inline Mask mask_of(const std::vector<FieldCells>& series, size_t n, const VideoFormat& format) {
  const int columns = (format.width + 7) / 8, rows = (format.height + 7) / 8;
  const Grid luma = blurred(blurred(reduced(mean_of(series, n, 0), columns, rows)));
  auto chroma = grid_of<int>(columns, rows);
  if (format.planes() > 1) {
    Grid most = mean_of(series, n, 1);
    const Grid second = mean_of(series, n, 2);
    for (size_t y = 0; y < most.size(); y++)
      for (size_t x = 0; x < most[y].size(); x++) most[y][x] = std::max(most[y][x], second[y][x]);
    chroma = blurred(blurred(reduced(most, columns, rows)));
  }
  Mask mask{.cells = grid_of<int>(columns, rows)};
  for (size_t y = 0; y < mask.cells.size(); y++)
    for (size_t x = 0; x < mask.cells[y].size(); x++)
      mask.cells[y][x] = luma[y][x] >= 60 || chroma[y][x] >= 80 ? 128 : 0;
  mask.cells = extended(mask.cells, true, true);
  const int border = std::min(4, rows / 8);
  for (int y = border; y < rows - border; y++)
    for (int x = 0; x < columns; x++) mask.is_used = mask.is_used || cell(mask.cells, x, y) != 0;
  return mask;
}

inline int mask_at(const Grid& mask, int x, int y, int side_x, int side_y) {
  const auto near = [&](int u, int v) {
    return cell(mask, std::clamp(u, 0, int(mask[0].size()) - 1), std::clamp(v, 0, int(mask.size()) - 1));
  };
  const auto between = [](int a, int b, int position, int side) {
    const int from = int(std::floor(double(position) / side)) * side;
    return (a * (from + side - position) + b * (position - from) + side / 2) / side;
  };
  const int u = x - side_x / 2, v = y - side_y / 2;
  const int left = int(std::floor(double(u) / side_x)), top = int(std::floor(double(v) / side_y));
  const int above = between(near(left, top), near(left + 1, top), u, side_x);
  const int below = between(near(left, top + 1), near(left + 1, top + 1), u, side_x);
  return between(above, below, v, side_y);
}

}  // namespace weft::filters::plain::kfm_model
