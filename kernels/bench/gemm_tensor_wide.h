// SPDX-License-Identifier: Apache-2.0
// Implements gemm_tensor.cu for the tensor cores of compute capability 9.0. Included inside
// KERNEL_FILE. A warpgroup has 64 x 256 entries of C in registers and multiplies operands in shared
// memory. While it multiplies a step's rows of B, cp.async copies those of the next step.
#ifndef KERNELS_BENCH_GEMM_TENSOR_WIDE_H
#define KERNELS_BENCH_GEMM_TENSOR_WIDE_H

#if defined(WEFT_WARPGROUPS)

#define WIDE_A_BYTES (TENSOR_ROWS * WIDE_STEP * 2)  // bytes of A in a stage; B follows
#define WIDE_GROUP_BYTES 1024                       // eight rows of 128 bytes
#define WIDE_B_PART_BYTES (WIDE_STEP * 128)         // 64 columns of B
#define WIDE_IN_FLIGHT 1                            // steps in progress while the next one begins
#define WIDE_AHEAD (WIDE_STAGES - 1 - WIDE_IN_FLIGHT)

static_assert(WIDE_STEP == 64 && TENSOR_ROWS == 128 && TENSOR_COLUMNS == 256 && TENSOR_LANES == 256);

// Copies the tile's rows of A and columns of B for step `copied`. A lane copies the same chunk of
// every 32nd row of A, and of every 8th row of B.
#define COPY_WIDE_STAGE                                                                             \
  {                                                                                                 \
    const uint stage = first_stage + uint(copied % WIDE_STAGES) * WIDE_STAGE_BYTES;                 \
    UNROLL                                                                                          \
    for (int i = 0; i < TENSOR_ROWS / 32; i++)                                                      \
      copy_16_bytes_to(stage + a_offset + uint(i) * 32 * 128, a + int64_t(i * 32) * p.size);        \
    UNROLL                                                                                          \
    for (int i = 0; i < WIDE_STEP / 8; i++)                                                         \
      copy_16_bytes_to(stage + b_offset + uint(i) * WIDE_GROUP_BYTES, b + int64_t(i * 8) * p.size); \
    a += WIDE_STEP;                                                                                 \
    b += int64_t(WIDE_STEP) * p.size;                                                               \
    copied++;                                                                                       \
  }

TEAM_KERNEL(TENSOR_LANES, 1, uint, team) {
  TENSOR_TILE;
  const int lane = SUBGROUP_LANE, warp = LOCAL_INDEX >> 5, group = warp >> 2;
  const uint first_stage =
      (uint(__cvta_generic_to_shared(team)) + WIDE_GROUP_BYTES - 1) & ~uint(WIDE_GROUP_BYTES - 1);
  const int a_row = LOCAL_INDEX / 8, a_chunk = LOCAL_INDEX % 8;
  const half* a = p.a.v + int64_t(first_row + a_row) * p.size + a_chunk * 8;
  const half* b = p.b.v + int64_t(warp) * p.size + first_column + lane * 8;
  const uint a_offset = uint(a_row * 128 + (a_chunk ^ (a_row & 7)) * 16);
  const uint b_offset =
      uint(WIDE_A_BYTES + lane / 8 * WIDE_B_PART_BYTES + warp * 128 + (lane % 8 ^ warp) * 16);
  const int steps = p.size / WIDE_STEP;  // number of steps, at least 4
  float sums[128] = {};
  int copied = 0;  // number of copied steps
  while (copied < WIDE_AHEAD) {
    COPY_WIDE_STAGE
    end_group_of_copies();
  }
  for (int step = 0; step < steps; step++) {
    wait_for_copies<WIDE_AHEAD - 1>();
    show_to_multiplications();
    TEAM_BARRIER();
    const uint stage = first_stage + uint(step % WIDE_STAGES) * WIDE_STAGE_BYTES;
    const uint a_rows = stage + uint(group) * 64 * 128;
    begin_multiplications();
    UNROLL
    for (uint part = 0; part < WIDE_STEP / 16; part++)
      multiply_add_256(sums, matrix_in_rows(a_rows + part * 32, 16, WIDE_GROUP_BYTES),
                       matrix_in_rows(stage + WIDE_A_BYTES + part * 2 * WIDE_GROUP_BYTES, WIDE_B_PART_BYTES,
                                      WIDE_GROUP_BYTES));
    end_group_of_multiplications();
    if (copied < steps) {
      COPY_WIDE_STAGE
    }
    // The group is empty near the end, which keeps the number of groups to wait for constant.
    end_group_of_copies();
    wait_for_multiplications<WIDE_IN_FLIGHT>();
  }
  wait_for_multiplications<0>();
  const int row = first_row + warp * 16 + lane / 4, column = first_column + lane % 4 * 2;
  float* const target = p.c.v + int64_t(row) * p.size + column;
  UNROLL
  for (int x = 0; x < TENSOR_COLUMNS / 8; x++) {
    *reinterpret_cast<vec2*>(target + x * 8) = vec2(sums[4 * x], sums[4 * x + 1]);
    *reinterpret_cast<vec2*>(target + int64_t(8) * p.size + x * 8) = vec2(sums[4 * x + 2], sums[4 * x + 3]);
  }
}

#endif  // WEFT_WARPGROUPS
#endif  // KERNELS_BENCH_GEMM_TENSOR_WIDE_H
