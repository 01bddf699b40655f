// SPDX-License-Identifier: Apache-2.0
// small_pick.kernel for the tensor cores of CUDA (small_tensor.h). A warp's blocks of one submode enter its bin together.
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/texture/formats.h"

KERNEL_FILE(small_pick)

#include "kernels/texture/small.h"
#include "kernels/texture/small_tensor.h"

TEAM_KERNEL(SMALL_LANES, 4, uint4, team) {
  if (int(GROUP_X) * SMALL_LANES >= p.blocks) return;
  EACH(i, SMALL_PICK_FRAGMENTS + SMALL_PICK_BIASES / 4) {
    team[i] = reinterpret_cast<const uint4*>(p.weights.v)[i];
  }
  TEAM_BARRIER();
  const int lane = LOCAL_X % 32;
  uint* const words = warp_words(team, SMALL_PICK_FRAGMENTS, SMALL_PICK_BIASES, SMALL_INPUT_ROWS);
  const float* const errors = reinterpret_cast<const float*>(words);
  for (int first = int(GROUP_X) * SMALL_LANES + LOCAL_X / 32 * 32; first < p.blocks;
       first += int(gridDim.x) * SMALL_LANES) {
    const int block = min(first + lane, p.blocks - 1);
    load_inputs(p, words, lane, block);
    __syncwarp();
    const uint4* weights = team;
    const float* biases = reinterpret_cast<const float*>(team + SMALL_PICK_FRAGMENTS);
    uint a[2][3][4], b[2][4][4], c[2][4][4];
    load_runs<3>(a, words, lane);
    __syncwarp();
    run_layer<3, 4>(a, b, weights, biases, lane);
    run_layer<4, 4>(b, c, weights, biases, lane);
    run_last_layer<4, 1>(c, reinterpret_cast<float*>(words), SMALL_PITCH, SMALL_SUBMODES_MOST, weights,
                         biases, lane);
    __syncwarp();
    int best = 0;
    for (int k = 1; k < p.submodes; k++)
      if (errors[k * SMALL_PITCH + lane] < errors[best * SMALL_PITCH + lane]) best = k;
    const bool is_one = first + lane < p.blocks;
    const uint same = __match_any_sync(0xffffffffu, is_one ? best : -1);
    if (is_one) {
      const int leader = __ffs(int(same)) - 1, rank = __popc(same & ((1u << lane) - 1u));
      int place = 0;
      if (lane == leader) place = atomicAdd(&p.bins.v[best], __popc(same));
      place = __shfl_sync(same, place, leader) + rank;
      p.bins.v[SMALL_BINS + best * p.blocks + place] = block;
    }
    __syncwarp();
  }
}

KERNEL_FILE_END
