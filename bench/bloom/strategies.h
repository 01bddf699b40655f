// SPDX-License-Identifier: Apache-2.0
// The strategies of a transform that bloom_bench compares and tests check: sequences of radices, where points lie, in place or not.
#pragma once

#include <array>
#include <vector>

#include "server/filters/bloom/convolution.h"

namespace weft::bench {

// The sequences of radices that are compared; those that a device lacks are left out.
inline const std::vector<std::vector<int>> kSequences = {
    {8, 8, 8},    {16, 8, 4},   {4, 4, 4, 4, 2}, {9, 9, 9},          {9, 9, 3, 3}, {3, 3, 3, 3, 3, 3},
    {9, 3, 6, 6}, {6, 6, 9, 3}, {9, 9, 4, 3},    {4, 9, 9, 3},       {16, 16, 4},  {16, 8, 8},
    {8, 16, 8},   {8, 8, 4, 4}, {4, 4, 4, 4, 4}, {4, 2, 4, 2, 4, 4}, {9, 9, 4, 4}, {16, 9, 9},
    {9, 16, 9},   {9, 6, 6, 4}, {6, 6, 6, 6},    {4, 4, 9, 9},       {9, 9, 5, 4}, {10, 9, 9, 2},
    {8, 8, 8, 4}, {16, 16, 8},
};

// Where a line's points lie in shared memory, as ConvolutionShape says it.
struct LineLayout {
  const char* name;
  int skew = -1, permutation = -1;
};
inline constexpr std::array kLayouts = {
    LineLayout{"as they are", 31},          LineLayout{"1 spare after 8", 3},
    LineLayout{"1 spare after 16", 4},      LineLayout{"1 spare after 32", 5},
    LineLayout{"permuted by i / 8", -1, 3}, LineLayout{"permuted by i / 16", -1, 4},
    LineLayout{"permuted by i / 64", -1, 6}};

inline void lay_out(const LineLayout& layout, filters::bloom::ConvolutionShape& shape) {
  shape.skew = layout.skew;
  shape.permutation = layout.permutation;
}

}  // namespace weft::bench
