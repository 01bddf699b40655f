// SPDX-License-Identifier: Apache-2.0
// The strategies of a transform that bloom_bench compares and tests check: sequences of radices, and bank padding.
#pragma once

#include <array>
#include <bit>
#include <vector>

namespace weft::bench {

// The sequences of radices that are compared; those that a device lacks are left out.
inline const std::vector<std::vector<int>> kSequences = {
    {8, 8, 8},    {16, 8, 4},   {4, 4, 4, 4, 2}, {9, 9, 9},          {9, 9, 3, 3}, {3, 3, 3, 3, 3, 3},
    {9, 3, 6, 6}, {6, 6, 9, 3}, {9, 9, 4, 3},    {4, 9, 9, 3},       {16, 16, 4},  {16, 8, 8},
    {8, 16, 8},   {8, 8, 4, 4}, {4, 4, 4, 4, 4}, {4, 2, 4, 2, 4, 4}, {9, 9, 4, 4}, {16, 9, 9},
    {9, 16, 9},   {9, 6, 6, 4}, {6, 6, 6, 6},    {4, 4, 9, 9},       {9, 9, 5, 4}, {10, 9, 9, 2},
    {8, 8, 8, 4}, {16, 16, 8},
};

// Bank padding: one spare place after every so many; 0: none.
inline constexpr std::array kSpares = {0, 8, 16, 32};

// As ConvolutionShape::skew says it.
inline int skew_of(int spare) { return spare == 0 ? 31 : std::bit_width(unsigned(spare)) - 1; }

}  // namespace weft::bench
