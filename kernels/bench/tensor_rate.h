// SPDX-License-Identifier: Apache-2.0
// What both bodies of tensor_rate share: inside KERNEL_FILE.
#ifndef KERNELS_BENCH_TENSOR_RATE_H
#define KERNELS_BENCH_TENSOR_RATE_H

#define TENSOR_CHAINS 32  // of products that do not wait for each other, a warp: 16 rows times 256 columns

#define TENSOR_RATE_PARAMS      \
  BUFFER(Values, float)         \
  struct Params {               \
    Values target; /* [lane] */ \
    int rounds;                 \
  };

#endif  // KERNELS_BENCH_TENSOR_RATE_H
