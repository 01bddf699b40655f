// SPDX-License-Identifier: Apache-2.0
// Implements small_pick.kernel for CUDA's tensor cores (small_tensor.h, small_wide.h). A team
// processes adjacent blocks of a row of the texture, and adds them to bins together. Bins are
// counted by atomics, and contention for them would cost more than the network.
// cuda: 90a
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/texture/formats.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/lang/warpgroup.h"
#endif

KERNEL_FILE(small_pick)

#include "kernels/texture/small.h"
#include "kernels/texture/small_inputs.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "kernels/texture/small_wide.h"
#else
#include "kernels/texture/small_tensor.h"
#endif

// Returns the submode with the least error, the first of equal ones. A lane has the errors of
// submodes 2t and 2t + 1; four lanes have all. `all` is the number of submodes.
FN int least_of_four_lanes(float first, float second, int all, int t) {
  int best = 2 * t;
  float least = best < all ? first : 3.0e38f;
  if (best + 1 < all && second < least) {
    least = second;
    best++;
  }
  UNROLL
  for (int step = 1; step < 4; step *= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, least, step);
    const int its = __shfl_xor_sync(0xffffffffu, best, step);
    if (other < least || (other == least && its < best)) {
      least = other;
      best = its;
    }
  }
  return best;
}

// Stores the submodes of a lane's two rows of 16 blocks, 8 apart.
FN void keep_picks(unsigned char* picks, int index, const float (&sums)[4], int all, int t) {
  const int upper = least_of_four_lanes(sums[0], sums[1], all, t);
  const int lower = least_of_four_lanes(sums[2], sums[3], all, t);
  if (t == 0) {
    picks[index] = (unsigned char)upper;
    picks[index + 8] = (unsigned char)lower;
  }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

#define PICK_TEAM 64  // blocks that a team processes at once

FN void load_network(uint4* team, const uint4* packed) {
  spread_fragments(team, packed, 3, 64, 64);
  spread_fragments(team + SMALL_FRAGMENTS(SMALL_INPUTS, 64), packed + SMALL_FRAGMENTS(SMALL_INPUTS, 64), 4,
                   64, 64);
  const int before = SMALL_FRAGMENTS(SMALL_INPUTS, 64) + SMALL_FRAGMENTS(64, 64);
  spread_fragments(team + before, packed + before, 4, 16, SMALL_SUBMODES_MOST);
  const int biases = SMALL_PICK_FRAGMENTS + LOCAL_X;
  if (LOCAL_X < SMALL_PICK_BIASES / 4) team[biases] = packed[biases];
  show_to_multiplications();
}

// Selects the submodes of `count` blocks from `first` on.
FN void pick_run(const Params& p, const uint4* team, unsigned char* picks, int first, int count) {
  const int lane = LOCAL_X % 32, t = lane & 3, row = LOCAL_X / 32 * 16 + lane / 4;
  const auto texels_at = [&](int index) { return quad_texels(p, first + min(index, count - 1), t); };
  QuadTexels upper = texels_at(row), lower = texels_at(row + 8);
  for (int index = row; index < count + row; index += PICK_TEAM) {
    uint a[3][4], b[4][4], c[4][4];
    input_rows(a, upper, lower, t);
    upper = texels_at(index + PICK_TEAM);
    lower = texels_at(index + PICK_TEAM + 8);
    uint weights = uint(__cvta_generic_to_shared(team));
    const float* biases = reinterpret_cast<const float*>(team + SMALL_PICK_FRAGMENTS);
    run_wide_layer<3, 64>(a, b, weights, biases, t);
    run_wide_layer<4, 64>(b, c, weights, biases, t);
    float sums[4];
    begin_sums(sums, biases, t);
    multiply_rows(sums, c, weights);
    wait_for_multiplications<0>();
    keep_picks(picks, index, sums, p.submodes, t);
  }
}

#else

FN void load_network(uint4* team, const uint4* packed) {
  for (int i = LOCAL_X; i < SMALL_PICK_FRAGMENTS + SMALL_PICK_BIASES / 4; i += SMALL_LANES)
    team[i] = packed[i];
}

FN void pick_run(const Params& p, const uint4* team, unsigned char* picks, int first, int count) {
  const int lane = LOCAL_X % 32;
  for (int begin = LOCAL_X / 32 * 32; begin < count; begin += SMALL_LANES) {
    const uint4* weights = team;
    const float* biases = reinterpret_cast<const float*>(team + SMALL_PICK_FRAGMENTS);
    uint a[2][3][4], b[2][4][4], c[2][4][4];
    load_runs(
        a, p, [&](int i) { return first + min(begin + i, count - 1); }, lane);
    run_layer<3, 4>(a, b, weights, biases, lane);
    run_layer<4, 4>(b, c, weights, biases, lane);
    float sums[2][2][4];
    multiply_pair<4>(sums, c, weights, 32, biases, lane);
    UNROLL
    for (int run = 0; run < 2; run++)
      keep_picks(picks, begin + RUN_BLOCKS * run + lane / 4, sums[run][0], p.submodes, lane & 3);
  }
}

#endif

// Adds blocks to bins. Each warp has a quarter of the run. It counts first, then writes.
FN void put_into_bins(const Params& p, const unsigned char* picks, int* indices, int first, int count) {
  const int lane = LOCAL_X % 32, warp = LOCAL_X / 32;
  const int quarter = (count + SMALL_LANES - 1) / SMALL_LANES * 32;
  const int begin = warp * quarter, end = min(begin + quarter, count);
  int* const mine = indices + warp * SMALL_SUBMODES_MOST;
  if (lane < SMALL_SUBMODES_MOST) mine[lane] = 0;
  __syncwarp();
  for (int turn = 0; turn < 2; turn++) {
    for (int i = begin + lane; i - lane < end; i += 32) {
      const int pick = i < end ? picks[i] : -1;
      const uint same = __match_any_sync(0xffffffffu, pick);
      const int rank = __popc(same & ((1u << lane) - 1u));
      const int index = pick < 0 ? 0 : mine[pick];
      if (turn == 1 && pick >= 0) p.bins.v[SMALL_BINS + pick * p.blocks + index + rank] = first + i;
      __syncwarp();
      if (pick >= 0 && rank == 0) mine[pick] = index + __popc(same);
      __syncwarp();
    }
    if (turn == 1) break;
    TEAM_BARRIER();
    if (LOCAL_X < SMALL_SUBMODES_MOST) {
      int all = 0;
      for (int i = 0; i < SMALL_WARPS; i++) all += indices[i * SMALL_SUBMODES_MOST + LOCAL_X];
      int index = all > 0 ? atomicAdd(&p.bins.v[LOCAL_X], all) : 0;
      for (int i = 0; i < SMALL_WARPS; i++) {
        const int own = indices[i * SMALL_SUBMODES_MOST + LOCAL_X];
        indices[i * SMALL_SUBMODES_MOST + LOCAL_X] = index;
        index += own;
      }
    }
    TEAM_BARRIER();
  }
}

TEAM_KERNEL(SMALL_LANES, 4, uint4, team) {
  static_assert(weft_lanes == SMALL_LANES);
  load_network(team, reinterpret_cast<const uint4*>(p.weights.v));
  unsigned char* const picks =
      reinterpret_cast<unsigned char*>(team + SMALL_PICK_FRAGMENTS + SMALL_PICK_BIASES / 4);
  int* const indices = reinterpret_cast<int*>(picks + SMALL_PICK_RUN);
  const int share = (p.blocks + int(gridDim.x) - 1) / int(gridDim.x);
  const int run = min((share + SMALL_LANES - 1) / SMALL_LANES * SMALL_LANES, SMALL_PICK_RUN);
  for (int first = int(GROUP_X) * run; first < p.blocks; first += int(gridDim.x) * run) {
    TEAM_BARRIER();
    const int count = min(run, p.blocks - first);
    pick_run(p, team, picks, first, count);
    TEAM_BARRIER();
    put_into_bins(p, picks, indices, first, count);
  }
}

KERNEL_FILE_END
