// SPDX-License-Identifier: Apache-2.0
// tensor_rate.kernel for the tensor cores of CUDA: chains of mma.m16n8k16 on ones, which stay in registers.
#include "kernels/bench/tensor_rate.h"
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"

KERNEL_FILE(tensor_rate)

TENSOR_RATE_PARAMS

KERNEL(256, 1) {
  const uint ones = halves_of(1.0f, 1.0f);
  const uint a[4] = {ones, ones, ones, ones}, b[2] = {ones, ones};
  float sums[TENSOR_CHAINS][4] = {};
  for (int round = 0; round < p.rounds; round++) {
    UNROLL
    for (int chain = 0; chain < TENSOR_CHAINS; chain++) multiply_add(sums[chain], a, b);
  }
  float least = sums[0][0];
  UNROLL
  for (int chain = 0; chain < TENSOR_CHAINS; chain++) UNROLL
  for (int i = 0; i < 4; i++) least = min(least, sums[chain][i]);
  p.target.v[GLOBAL_X] = least;
}
KERNEL_FILE_END
