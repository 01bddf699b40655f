// SPDX-License-Identifier: Apache-2.0
// Implements layer.kernel for CUDA's tensor cores: products of halves, sums of floats. Between the
// first and the last layer features are halves, and the 64 channels of a texel are adjacent. The
// input texels and the output corrections are planes, as in the other bodies.
//
// A block keeps the layer's weights, if its shared memory has room, and loops over tiles of 32 x 8
// texels. Two groups of four warps have one tile each: while one group waits for its features, the
// other multiplies. A warp computes all channels of two rows. Fragments follow PTX's mma.m16n8k16.
// The eight 16-byte chunks of a texel are permuted by the texel's number, so that ldmatrix reads
// its eight rows without bank conflicts.
//
// Compute capability 9.0 has another body (layer_wide_ends.h).
// cuda: 90a
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/lang/warpgroup.h"
#endif

KERNEL_FILE(layer)

#include "kernels/texture/layer.h"

LAYER_PARAMS(vec4)

#define WIDE (HALVES_X + 2)  // texels in a row of a tile with its surroundings
#define GROUP_LANES 128
#define TILE_TEXELS (HALVES_X * HALVES_Y)
#define TEXEL_WORDS 32  // words of two halves
#define TEXEL_CHUNKS 8  // chunks of 16 bytes
#define HEAD_PITCH 20   // stride of a texel's 27 inputs, in words
#define RUNS 4          // runs of 16 texels: two rows of two
#define PAIRS 4         // pairs of 8 output channels, 64 in all

// Returns the index of the first word of a texel's chunk.
FN int chunk_at(int texel, int chunk) { return texel * TEXEL_WORDS + ((chunk ^ (texel & 7)) << 2); }

FN void group_barrier(int group) { asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory"); }

FN uint sum_of_halves(uint a, uint b) {
  uint sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}

// Multiplies one step of 16 inputs and adds to the sums of each run and channel. `weights` are the
// fragments of the step.
template <int kPairs>
FN void multiply_step(float (&sums)[RUNS][2 * kPairs][4], const uint (&a)[RUNS][4], const uint4* weights) {
  UNROLL
  for (int pair = 0; pair < kPairs; pair++) {
    const uint4 b = weights[pair * 32];
    const uint first[2] = {b.x, b.y}, second[2] = {b.z, b.w};
    UNROLL
    for (int run = 0; run < RUNS; run++) {
      multiply_add(sums[run][2 * pair], a[run], first);
      multiply_add(sums[run][2 * pair + 1], a[run], second);
    }
  }
}

template <int kPairs>
FN void begin_sums(float (&sums)[RUNS][2 * kPairs][4], const float* biases, int of_four) {
  UNROLL
  for (int n = 0; n < 2 * kPairs; n++) {
    UNROLL
    for (int run = 0; run < RUNS; run++) {
      sums[run][n][0] = sums[run][n][2] = biases[8 * n + 2 * of_four];
      sums[run][n][1] = sums[run][n][3] = biases[8 * n + 2 * of_four + 1];
    }
  }
}

// Multiplies all nine taps of 64 channels.
template <int kPairs>
FN void multiply_tile(float (&sums)[RUNS][2 * kPairs][4], const uint* features, const uint4* weights,
                      int warp, int lane) {
  const int of_sixteen = lane & 15, upper = lane >> 4;
  for (int tap = 0; tap < 9; tap++) {
    UNROLL
    for (int k = 0; k < 4; k++) {
      uint a[RUNS][4];
      UNROLL
      for (int run = 0; run < RUNS; run++) {
        const int texel = (2 * warp + run / 2 + tap / 3) * WIDE + run % 2 * 16 + of_sixteen + tap % 3;
        load_matrices(a[run], features + chunk_at(texel, 2 * k + upper));
      }
      multiply_step<kPairs>(sums, a, weights + (tap * 4 + k) * kPairs * 32 + lane);
    }
  }
}

struct Tile {
  int x, y;
  int first;  // position of the tile in the planes
};

FN void load_features(const Params& p, const Tile& tile, uint* features, int lane) {
  const uint16_t* const from = reinterpret_cast<const uint16_t*>(p.from.v);
  for (int i = lane; i < WIDE * (HALVES_Y + 2) * TEXEL_CHUNKS; i += GROUP_LANES) {
    const int texel = i / TEXEL_CHUNKS, chunk = i % TEXEL_CHUNKS;
    const int64_t at = tile.first + (texel / WIDE - 1) * p.stride + texel % WIDE - 1;
    copy_16_bytes(features + chunk_at(texel, chunk), from + at * 64 + chunk * 8);
  }
  wait_for_all_copies();
}

// Loads the 27 inputs of each texel of the tile from three planes, channel by channel, padded with
// zeros to 32.
FN void load_texels(const Params& p, const Tile& tile, uint* inputs, int lane) {
  uint16_t* const halves = reinterpret_cast<uint16_t*>(inputs);
  for (int i = lane; i < TILE_TEXELS; i += GROUP_LANES) {
    const float* const here = p.from.v + tile.first + i / HALVES_X * p.stride + i % HALVES_X;
    for (int k = 0; k < 32; k++) {
      const int tap = k % 9;
      const float value =
          k < 27 ? here[int64_t(k / 9) * p.plane + (tap / 3 - 1) * p.stride + tap % 3 - 1] : 0.0f;
      halves[i * 2 * HEAD_PITCH + k] = half(value).bits;
    }
  }
}

// Rounds sums to halves in the group's memory, then writes them contiguously.
FN void store_features(const Params& p, const Tile& tile, const float (&sums)[RUNS][2 * PAIRS][4],
                       uint* features, int group, int warp, int lane) {
  const int of_four = lane & 3, of_eight = lane >> 2 & 7;
  UNROLL
  for (int run = 0; run < RUNS; run++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      const int texel = (2 * warp + run / 2) * HALVES_X + run % 2 * 16 + of_eight + 8 * i;
      UNROLL
      for (int n = 0; n < 2 * PAIRS; n++) {
        float first = sums[run][n][2 * i], second = sums[run][n][2 * i + 1];
        if (p.rectifies != 0) {
          first = max(first, 0.0f);
          second = max(second, 0.0f);
        }
        features[chunk_at(texel, n) + of_four] = halves_of(first, second);
      }
    }
  }
  group_barrier(group);
  uint16_t* const to = reinterpret_cast<uint16_t*>(p.to.v);
  for (int i = LOCAL_X % GROUP_LANES; i < TILE_TEXELS * TEXEL_CHUNKS; i += GROUP_LANES) {
    const int texel = i / TEXEL_CHUNKS, chunk = i % TEXEL_CHUNKS;
    const int x = texel % HALVES_X, y = texel / HALVES_X;
    if (tile.x + x >= p.columns || tile.y + y >= p.rows) continue;
    uint4* const target =
        reinterpret_cast<uint4*>(to + int64_t(tile.first + y * p.stride + x) * 64 + chunk * 8);
    uint4 made = *reinterpret_cast<const uint4*>(features + chunk_at(texel, chunk));
    if (p.adds != 0) {
      const uint4 before = *target;
      made.x = sum_of_halves(made.x, before.x);
      made.y = sum_of_halves(made.y, before.y);
      made.z = sum_of_halves(made.z, before.z);
      made.w = sum_of_halves(made.w, before.w);
    }
    *target = made;
  }
}

FN void store_planes(const Params& p, const Tile& tile, const float (&sums)[RUNS][2][4], int warp, int lane) {
  const int of_four = lane & 3, of_eight = lane >> 2 & 7;
  UNROLL
  for (int run = 0; run < RUNS; run++) {
    UNROLL
    for (int n = 0; n < 2; n++) {
      UNROLL
      for (int i = 0; i < 4; i++) {
        const int channel = 8 * n + 2 * of_four + i % 2;
        const int x = run % 2 * 16 + of_eight + i / 2 * 8, y = 2 * warp + run / 2;
        if (channel < p.outputs && tile.x + x < p.columns && tile.y + y < p.rows)
          p.to.v[int64_t(channel) * p.plane + tile.first + y * p.stride + x] = sums[run][n][i];
      }
    }
  }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/texture/layer_wide_ends.h"

static_assert(LAYER_LANES == 2 * GROUP_LANES && sizeof(Params) <= 128);
extern __shared__ __align__(16) uint4 team[];
// The entry of a TEAM_KERNEL, but with a later wait for the previous kernel.
extern "C" __global__ void __launch_bounds__(LAYER_LANES, 1) weft_entry(const __grid_constant__ Params p) {
  if (team_bytes() < WIDE_BYTES) __trap();  // launched for the other body
  make_wide_layer(p, team);
}

#else

TEAM_KERNEL(LAYER_LANES, 1, uint4, team) {
  if (team_bytes() >= WIDE_BYTES) __trap();
  const int lane = LOCAL_X % 32, warp = LOCAL_X / 32 % 4, group = LOCAL_X / GROUP_LANES;
  const bool is_head = p.inputs == 3, is_tail = p.outputs < 64;
  const int steps = is_head ? 2 : 36, pairs = is_tail ? 1 : PAIRS;
  const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v);
  const float* const biases = reinterpret_cast<const float*>(packed + steps * pairs * 32);
  const bool keeps_weights = team_bytes() >= HALVES_BYTES;
  const uint4* const weights = keeps_weights ? team : packed;
  uint* const features = reinterpret_cast<uint*>(team + (keeps_weights ? HALVES_WEIGHTS : 0)) +
                         group * (WIDE * (HALVES_Y + 2) * TEXEL_WORDS);
  if (keeps_weights) EACH(i, steps * pairs * 32) team[i] = packed[i];
  TEAM_BARRIER();

  const int tiles_x = (p.columns + HALVES_X - 1) / HALVES_X;
  const int tiles = tiles_x * ((p.rows + HALVES_Y - 1) / HALVES_Y);
  const int blocks = int(gridDim.x);
  const int last = int(int64_t(tiles) * (GROUP_X + 1) / blocks);
  for (int i = int(int64_t(tiles) * GROUP_X / blocks) + group; i < last; i += 2) {
    Tile tile;
    tile.x = i % tiles_x * HALVES_X;
    tile.y = i / tiles_x * HALVES_Y;
    tile.first = p.first + tile.y * p.stride + tile.x;
    group_barrier(group);  // the previous contents have been read
    if (is_head)
      load_texels(p, tile, features, LOCAL_X % GROUP_LANES);
    else
      load_features(p, tile, features, LOCAL_X % GROUP_LANES);
    group_barrier(group);
    if (is_tail) {
      float sums[RUNS][2][4];
      begin_sums<1>(sums, biases, lane & 3);
      multiply_tile<1>(sums, features, weights, warp, lane);
      store_planes(p, tile, sums, warp, lane);
      continue;
    }
    float sums[RUNS][2 * PAIRS][4];
    begin_sums<PAIRS>(sums, biases, lane & 3);
    if (is_head) {
      for (int k = 0; k < 2; k++) {
        uint a[RUNS][4];
        UNROLL
        for (int run = 0; run < RUNS; run++) {
          const int texel = (2 * warp + run / 2) * HALVES_X + run % 2 * 16 + (lane & 15);
          load_matrices(a[run], features + texel * HEAD_PITCH + 8 * k + 4 * (lane >> 4));
        }
        multiply_step<PAIRS>(sums, a, weights + k * PAIRS * 32 + lane);
      }
    } else {
      multiply_tile<PAIRS>(sums, features, weights, warp, lane);
    }
    group_barrier(group);  // all lanes have read the data that the sums overwrite
    store_features(p, tile, sums, features, group, warp, lane);
  }
}

#endif

KERNEL_FILE_END
