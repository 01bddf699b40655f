// SPDX-License-Identifier: Apache-2.0
// Each benchmark, by the file that has it: for list.cpp alone.
#pragma once

#include "server/benchmarks/benchmark.h"

namespace weft::benchmarks {

Benchmark bilateral_benchmark();   // filters.cpp
Benchmark compaction_benchmark();  // compaction.cpp
Benchmark fft_benchmark();         // fft.cpp
Benchmark filters_benchmark();     // filters.cpp
Benchmark gemm_benchmark();        // gemm.cpp
Benchmark gemv_benchmark();        // gemv.cpp
Benchmark launch_benchmark();      // launch.cpp
Benchmark limits_benchmark();      // limits.cpp
Benchmark nbody_benchmark();       // nbody.cpp
Benchmark reduction_benchmark();   // reduction.cpp
Benchmark sad_benchmark();         // sad.cpp
Benchmark vector_benchmark();      // vector.cpp

}  // namespace weft::benchmarks
