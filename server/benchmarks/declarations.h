// SPDX-License-Identifier: Apache-2.0
// Each benchmark, by the file that has it: for list.cpp alone.
#pragma once

#include "server/benchmarks/benchmark.h"

namespace weft::benchmarks {

Benchmark bilateral_benchmark();  // filters.cpp
Benchmark filters_benchmark();    // filters.cpp
Benchmark limits_benchmark();     // limits.cpp
Benchmark vector_benchmark();     // vector.cpp

}  // namespace weft::benchmarks
