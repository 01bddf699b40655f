// SPDX-License-Identifier: Apache-2.0
// Implements small_blocks.kernel for CUDA's tensor cores: a round per warp (small_tensor.h), or two
// rounds per four warps (small_wide.h). A team keeps a network's weights through its rounds, if its
// shared memory has room for them.
// cuda: 90a
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/texture/formats.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/lang/warpgroup.h"
#endif

KERNEL_FILE(small_blocks)

#include "kernels/texture/small.h"
#include "kernels/texture/small_inputs.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/texture/small_wide.h"
#define BLOCKS_TEAMS 3
#else
#include "kernels/texture/small_tensor.h"
#define BLOCKS_TEAMS 2
#endif

// The rounds from `first` up to, but not including, `last`, all of one submode.
struct Span {
  int first, last;
  int number;  // number of the first round in its submode
  int submode;
  int count;  // number of the submode's blocks

  // Returns block i of a round, counted from the round's first block. Positions past the last block
  // repeat it.
  __device__ __forceinline__ int block(const Params& p, int round, int i) const {
    return block_at(p, submode, min((number + round - first) * SMALL_ROUND + i, count - 1));
  }
};

FN float* outputs_of_round(const Params& p, int round) {
  return p.outputs.v + int64_t(round) * (SMALL_OUTPUTS * SMALL_ROUND);
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

FN void load_network(uint4* team, const uint4* packed) {
  const auto add = [&](int inputs, int outputs, int kept) {
    spread_fragments(team, packed, inputs / 16, outputs, kept);
    team += inputs * kept / 8;
    packed += inputs * outputs / 8;
  };
  add(SMALL_INPUTS, 128, 128);
  add(128, 128, 128);
  add(128, 64, 64);
  add(64, 64, 64);
  add(64, SMALL_OUTPUTS_FRAGMENTS, SMALL_OUTPUTS);
  if (LOCAL_X < SMALL_BLOCKS_BIASES / 4) team[LOCAL_X] = packed[LOCAL_X];
  show_to_multiplications();
}

FN void make_rounds(const Params& p, const uint4* team, const uint4*, const Span& span) {
  const int lane = LOCAL_X % 32, t = lane & 3;
  // The row in the blocks of two rounds; the other row is 8 further.
  const int row = LOCAL_X / 32 % 4 * 16 + lane / 4;
  const int step = SMALL_LANES / 128 * 2;
  const int outputs_made = p.of_submodes.v[span.submode * SUBMODE_INTS + SUBMODE_OUTPUTS];
  int number = span.first + LOCAL_X / 128 * 2;
  // Texels are loaded one turn before they are used, block numbers two turns before.
  QuadTexels upper = quad_texels(p, span.block(p, number, row), t),
             lower = quad_texels(p, span.block(p, number, row + 8), t);
  int next_upper = span.block(p, number + step, row), next_lower = span.block(p, number + step, row + 8);
  for (; number < span.last; number += step) {
    uint a[3][4], b[8][4], c[8][4], d[4][4], e[4][4];
    input_rows(a, upper, lower, t);
    upper = quad_texels(p, next_upper, t);
    lower = quad_texels(p, next_lower, t);
    next_upper = span.block(p, number + 2 * step, row);
    next_lower = span.block(p, number + 2 * step, row + 8);
    uint weights = uint(__cvta_generic_to_shared(team));
    const float* biases = reinterpret_cast<const float*>(team) + SMALL_BLOCKS_BYTES / 4 - SMALL_BLOCKS_BIASES;
    run_wide_layer<3, 128>(a, b, weights, biases, t);
    run_wide_layer<8, 128>(b, c, weights, biases, t);
    run_wide_layer<8, 64>(c, d, weights, biases, t);
    run_wide_layer<4, 64>(d, e, weights, biases, t);
    float sums[SMALL_OUTPUTS / 2];
    begin_sums(sums, biases, t);
    multiply_rows(sums, e, weights);
    wait_for_multiplications<0>();
    const int round = number + row / SMALL_ROUND;
    if (round >= span.last) continue;
    float* const outputs = outputs_of_round(p, round) + 2 * t * SMALL_ROUND + row % SMALL_ROUND;
    UNROLL
    for (int i = 0; i < SMALL_OUTPUTS / 2; i += 4) {
      if (2 * i >= outputs_made) break;
      outputs[2 * i * SMALL_ROUND] = sums[i];
      outputs[(2 * i + 1) * SMALL_ROUND] = sums[i + 1];
      outputs[2 * i * SMALL_ROUND + 8] = sums[i + 2];
      outputs[(2 * i + 1) * SMALL_ROUND + 8] = sums[i + 3];
    }
  }
}

#else

#define LAST_FRAGMENTS (SMALL_BLOCKS_FRAGMENTS - SMALL_FRAGMENTS(64, SMALL_OUTPUTS_FRAGMENTS))
#define LAST_PITCH 80    // stride of a step
#define PACKED_PITCH 96  // and where the unused half of the last pair is there

FN void load_network(uint4* team, const uint4* packed) {
  if (team_bytes() < SMALL_BLOCKS_BYTES) return;
  for (int i = LOCAL_X; i < LAST_FRAGMENTS; i += SMALL_LANES) team[i] = packed[i];
  // Each step has the last layer's two pairs and the used half of the third.
  for (int i = LOCAL_X; i < 4 * LAST_PITCH; i += SMALL_LANES) {
    const int step = i / LAST_PITCH, index = i % LAST_PITCH;
    const uint4* const from = packed + LAST_FRAGMENTS + step * PACKED_PITCH;
    if (index < 64) {
      team[LAST_FRAGMENTS + i] = from[index];
    } else {
      const uint4 first = from[2 * index - 64], second = from[2 * index - 63];
      team[LAST_FRAGMENTS + i] = uint4{first.x, first.y, second.x, second.y};
    }
  }
  const uint4* const biases = packed + SMALL_BLOCKS_FRAGMENTS;
  if (LOCAL_X < SMALL_BLOCKS_BIASES / 4) team[LAST_FRAGMENTS + 4 * LAST_PITCH + LOCAL_X] = biases[LOCAL_X];
}

// A network in the team's array, or, where that is smaller, as it is packed in device memory.
struct Network {
  const uint4* weights;
  const float* biases;
  int last_pitch;
  int last_words;  // words that a lane has of the last pair

  __device__ __forceinline__ Network(const uint4* team, const uint4* packed) {
    const bool is_packed = team_bytes() < SMALL_BLOCKS_BYTES;
    weights = is_packed ? packed : team;
    last_pitch = is_packed ? PACKED_PITCH : LAST_PITCH;
    last_words = is_packed ? 4 : 2;
    biases = reinterpret_cast<const float*>(weights + LAST_FRAGMENTS + 4 * last_pitch);
  }
};

FN void make_rounds(const Params& p, const uint4* team, const uint4* packed, const Span& span) {
  const int lane = LOCAL_X % 32;
  const Network network(team, packed);
  for (int number = span.first + LOCAL_X / 32; number < span.last; number += SMALL_WARPS) {
    const uint4* weights = network.weights;
    const float* biases = network.biases;
    uint a[2][3][4], b[2][8][4], c[2][8][4], d[2][4][4], e[2][4][4];
    load_runs(
        a, p, [&](int i) { return span.block(p, number, i); }, lane);
    run_layer<3, 8>(a, b, weights, biases, lane);
    run_layer<8, 8>(b, c, weights, biases, lane);
    run_layer<8, 4>(c, d, weights, biases, lane);
    run_layer<4, 4>(d, e, weights, biases, lane);
    float* const outputs = outputs_of_round(p, number);
    UNROLL
    for (int pair = 0; pair < 2; pair++) {
      float sums[2][2][4];
      multiply_pair<4>(sums, e, weights + pair * 32, network.last_pitch, biases + 16 * pair, lane);
      store_outputs(outputs + 16 * pair * SMALL_ROUND, sums, lane);
    }
    float sums[2][1][4];
    multiply_pair<4, 1>(sums, e, weights + 64, network.last_pitch, biases + 32, lane, network.last_words);
    store_outputs(outputs + 32 * SMALL_ROUND, sums, lane);
  }
}

#endif

TEAM_KERNEL(SMALL_LANES, BLOCKS_TEAMS, uint4, team) {
  static_assert(weft_lanes == SMALL_LANES);
  int rounds = 0;
  for (int submode = 0; submode < p.submodes; submode++) rounds += rounds_of(p, submode);
  // This team's share of all rounds. It may begin in one bin and end in another.
  const int begin = int(int64_t(rounds) * GROUP_X / gridDim.x);
  const int end = int(int64_t(rounds) * (GROUP_X + 1) / gridDim.x);
  int first = begin;
  while (first < end) {
    const Round round = round_at(p, first);
    Span span;
    span.first = first;
    span.last = min(end, first - round.number + rounds_of(p, round.submode));
    span.number = round.number;
    span.submode = round.submode;
    span.count = blocks_of(p, round.submode);
    const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v) +
                                p.of_submodes.v[round.submode * SUBMODE_INTS + SUBMODE_WEIGHTS];
    load_network(team, packed);
    TEAM_BARRIER();
    make_rounds(p, team, packed, span);
    TEAM_BARRIER();  // the next network's weights overwrite the current ones
    first = span.last;
  }
}

KERNEL_FILE_END
