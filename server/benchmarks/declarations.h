// SPDX-License-Identifier: Apache-2.0
// Each benchmark, by the file that has it: for list.cpp alone.
#pragma once

#include "server/benchmarks/benchmark.h"

namespace weft::benchmarks {

Benchmark compaction_benchmark();  // compaction.cpp
Benchmark limits_benchmark();      // limits.cpp
Benchmark vector_benchmark();      // vector.cpp

}  // namespace weft::benchmarks
