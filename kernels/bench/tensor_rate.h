// SPDX-License-Identifier: Apache-2.0
// Defines macros for both bodies of tensor_rate. Included inside KERNEL_FILE.
#ifndef KERNELS_BENCH_TENSOR_RATE_H
#define KERNELS_BENCH_TENSOR_RATE_H

#define TENSOR_CHAINS 32  // independent products of a warp: 16 rows by 256 columns

#define TENSOR_RATE_PARAMS      \
  BUFFER(Values, float)         \
  struct Params {               \
    Values target; /* [lane] */ \
    int rounds;                 \
  };

#endif  // KERNELS_BENCH_TENSOR_RATE_H
