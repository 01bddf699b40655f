// SPDX-License-Identifier: Apache-2.0
// Provides data and sizes that several benchmarks use. The functions are pure; any thread may call
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "server/benchmarks/benchmark.h"

namespace weft::benchmarks {

inline std::vector<CaseSize> powers_of_two(std::initializer_list<int> exponents) {
  std::vector<CaseSize> sizes;
  for (const int exponent : exponents) sizes.push_back(CaseSize{int64_t{1} << exponent});
  return sizes;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

template <class T>
constexpr T rounded_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Returns pseudorandom bits number `i`: the finaliser of splitmix64 (G. Steele, D. Lea, C. Flood,
// OOPSLA 2014).
constexpr uint64_t mixed(uint64_t i) {
  uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// Returns number `i` of an operand, from -4 to 4. Sums of up to 2^19 products of two such numbers
// are exact in fp32; the numbers are exact in fp16.
constexpr int small_number(int64_t i, int operand) {
  return int(mixed(uint64_t(i) * 2 + uint64_t(operand)) >> 33) % 9 - 4;
}

}  // namespace weft::benchmarks
