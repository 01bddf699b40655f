// SPDX-License-Identifier: Apache-2.0
// Implements gemm_tensor.kernel for CUDA's tensor cores by mma.m16n8k16. A warp has 64 x 64 entries
// of C in registers. cp.async copies A and B of the next steps to shared memory, in four stages;
// ldmatrix copies those of the next half step to registers, B transposed. Rows in shared memory are
// divided into chunks of 16 bytes, permuted from row to row, so that the eight chunks that ldmatrix
// reads together are in different banks. Compute capability 9.0 has its own body,
// gemm_tensor_wide.h.
// cuda: 90a
#include "kernels/bench/gemm_tensor.h"
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/lang/warpgroup.h"

#define A_WORDS (TENSOR_ROWS * TENSOR_STEP / 2)
#define A_CHUNKS (TENSOR_STEP / 8)     // chunks per row
#define B_CHUNKS (TENSOR_COLUMNS / 8)  // chunks per row
#if defined(WEFT_TURING)
#define STAGES TENSOR_STAGES_FEWEST
#else
#define STAGES TENSOR_STAGES
#endif
#define TILES_Y 4  // tiles of a warp, 16 rows each
#define TILES_X 8  // tiles of a warp, 8 columns each

static_assert(TENSOR_LANES == 256 && TENSOR_ROWS == 2 * 16 * TILES_Y && TENSOR_COLUMNS == 4 * 8 * TILES_X);

KERNEL_FILE(gemm_tensor)

GEMM_TENSOR_PARAMS

#include "kernels/bench/gemm_tensor_wide.h"
#if !defined(WEFT_WARPGROUPS)

// Return the index in a stage of the first word of a chunk.
FN int a_word(int row, int chunk) { return (row * A_CHUNKS + (chunk ^ (row >> 1 & 3))) * 4; }
FN int b_word(int row, int chunk) { return A_WORDS + (row * B_CHUNKS + (chunk ^ (row & 7))) * 4; }

struct Fragments {
  uint a[TILES_Y][4];
  uint b[TILES_X / 2][4];  // each element holds two adjacent tiles
};

// Loads the fragments of half step `half_step` from a stage.
FN void load_fragments(Fragments& fragments, const uint* stage, int half_step) {
  const int lane = SUBGROUP_LANE, warp = LOCAL_INDEX >> 5;
  UNROLL
  for (int y = 0; y < TILES_Y; y++)
    load_matrices(fragments.a[y],
                  stage + a_word((warp % 2 * TILES_Y + y) * 16 + lane % 16, half_step * 2 + lane / 16));
  UNROLL
  for (int x = 0; x < TILES_X / 2; x++)
    load_matrices_turned(fragments.b[x],
                         stage + b_word(half_step * 16 + lane % 16, warp / 2 * TILES_X + x * 2 + lane / 16));
}

FN void multiply(float (&sums)[TILES_Y][TILES_X][4], const Fragments& fragments) {
  UNROLL
  for (int y = 0; y < TILES_Y; y++) UNROLL
  for (int x = 0; x < TILES_X; x++) {
    const uint b[2] = {fragments.b[x / 2][x % 2 * 2], fragments.b[x / 2][x % 2 * 2 + 1]};
    multiply_add(sums[y][x], fragments.a[y], b);
  }
}

// Copies the tile's rows of A and columns of B for the next step.
#define COPY_STAGE                                                                      \
  {                                                                                     \
    uint* const stage = team + copied % STAGES * TENSOR_STAGE_WORDS;                    \
    UNROLL                                                                              \
    EACH(i, TENSOR_ROWS* A_CHUNKS) {                                                    \
      const int row = i / A_CHUNKS, chunk = i % A_CHUNKS;                               \
      copy_16_bytes(stage + a_word(row, chunk), a + int64_t(row) * p.size + chunk * 8); \
    }                                                                                   \
    UNROLL                                                                              \
    EACH(i, TENSOR_STEP* B_CHUNKS) {                                                    \
      const int row = i / B_CHUNKS, chunk = i % B_CHUNKS;                               \
      copy_16_bytes(stage + b_word(row, chunk), b + int64_t(row) * p.size + chunk * 8); \
    }                                                                                   \
    a += TENSOR_STEP;                                                                   \
    b += int64_t(TENSOR_STEP) * p.size;                                                 \
    copied++;                                                                           \
  }

TEAM_KERNEL(TENSOR_LANES, 1, uint, team) {
  if (team_bytes() < TENSOR_BYTES(STAGES)) __trap();  // sized for code with fewer stages
  TENSOR_TILE;
  const half* a = p.a.v + int64_t(first_row) * p.size;
  const half* b = p.b.v + first_column;
  const int steps = p.size / TENSOR_STEP;  // number of steps, at least 8
  float sums[TILES_Y][TILES_X][4] = {};
  Fragments fragments[2];
  int copied = 0;  // number of copied steps
  while (copied < STAGES - 1) {
    COPY_STAGE
    end_group_of_copies();
  }
  wait_for_copies<STAGES - 2>();
  TEAM_BARRIER();
  load_fragments(fragments[0], team, 0);
  for (int step = 0; step < steps; step++) {
    load_fragments(fragments[1], team + step % STAGES * TENSOR_STAGE_WORDS, 1);
    if (copied < steps) {
      COPY_STAGE
    }
    // The group is empty near the end, which keeps the number of groups to wait for constant.
    end_group_of_copies();
    multiply(sums, fragments[0]);
    if (step + 1 < steps) {
      wait_for_copies<STAGES - 2>();
      TEAM_BARRIER();
      load_fragments(fragments[0], team + (step + 1) % STAGES * TENSOR_STAGE_WORDS, 0);
    }
    multiply(sums, fragments[1]);
  }
  const int lane = SUBGROUP_LANE, warp = LOCAL_INDEX >> 5;
  const int row = first_row + warp % 2 * 16 * TILES_Y + lane / 4;
  const int column = first_column + warp / 2 * 8 * TILES_X + lane % 4 * 2;
  UNROLL
  for (int y = 0; y < TILES_Y; y++) UNROLL
  for (int x = 0; x < TILES_X; x++) {
    float* const target = p.c.v + int64_t(row + y * 16) * p.size + column + x * 8;
    *reinterpret_cast<vec2*>(target) = vec2(sums[y][x][0], sums[y][x][1]);
    *reinterpret_cast<vec2*>(target + int64_t(8) * p.size) = vec2(sums[y][x][2], sums[y][x][3]);
  }
}

#endif  // WEFT_WARPGROUPS
KERNEL_FILE_END
