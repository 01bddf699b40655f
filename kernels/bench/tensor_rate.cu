// SPDX-License-Identifier: Apache-2.0
// Implements tensor_rate.kernel for CUDA's tensor cores: chains of mma.m16n8k16 on ones, with all
// operands in registers. Compute capability 9.0 reaches its full rate only with warpgroups and uses
// wgmma.m64n256k16 on ones in shared memory.
// cuda: 90a
#include "kernels/bench/tensor_rate.h"
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/lang/warpgroup.h"

KERNEL_FILE(tensor_rate)

TENSOR_RATE_PARAMS

#if defined(WEFT_WARPGROUPS)

#define RATE_LANES 256
#define ROUNDS_IN_FLIGHT 4

struct alignas(1024) Matrices {
  uint a[64 * 32];  // rows of 128 bytes
  uint b[4 * 16 * 32];
};
SHARED(Matrices, matrices, 1);

KERNEL(RATE_LANES, 1) {
  for (int i = LOCAL_INDEX; i < int(sizeof(Matrices) / 4); i += RATE_LANES)
    reinterpret_cast<uint*>(matrices)[i] = halves_of(1.0f, 1.0f);
  show_to_multiplications();
  BARRIER();
  const uint address = uint(__cvta_generic_to_shared(matrices));
  const uint64_t a = matrix_in_rows(address, 16, 1024);
  const uint64_t b = matrix_in_rows(address + uint(sizeof(matrices[0].a)), 2048, 1024);
  float sums[TENSOR_CHAINS * 4] = {};
  for (int round = 0; round < p.rounds; round += ROUNDS_IN_FLIGHT) {
    begin_multiplications();
    UNROLL
    for (int i = 0; i < ROUNDS_IN_FLIGHT; i++) multiply_add_256(sums, a, b);
    end_group_of_multiplications();
    wait_for_multiplications<1>();
  }
  wait_for_multiplications<0>();
  float least = sums[0];
  UNROLL
  for (int i = 1; i < TENSOR_CHAINS * 4; i++) least = min(least, sums[i]);
  p.target.v[GLOBAL_X] = least;
}

#else

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

#endif  // WEFT_WARPGROUPS
KERNEL_FILE_END
