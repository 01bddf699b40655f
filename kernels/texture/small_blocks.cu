// SPDX-License-Identifier: Apache-2.0
// small_blocks.kernel for the tensor cores of CUDA (small_tensor.h): a lane makes the block whose outputs its warp computed with 31 others.
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/texture/formats.h"

KERNEL_FILE(small_blocks)

#include "kernels/texture/small.h"
#include "kernels/texture/small_block.h"
#include "kernels/texture/small_tensor.h"

TEAM_KERNEL(SMALL_LANES, 2, uint4, team) {
  const int count = blocks_of(p);
  if (int(GROUP_X) * SMALL_LANES >= count) return;
  EACH(i, SMALL_BLOCKS_FRAGMENTS + SMALL_BLOCKS_BIASES / 4) {
    team[i] = reinterpret_cast<const uint4*>(p.weights.v)[i];
  }
  TEAM_BARRIER();
  const int lane = LOCAL_X % 32;
  uint* const words = warp_words(team, SMALL_BLOCKS_FRAGMENTS, SMALL_BLOCKS_BIASES, SMALL_OUTPUTS);
  const float* const outputs_of_warp = reinterpret_cast<const float*>(words);
  for (int first = int(GROUP_X) * SMALL_LANES + LOCAL_X / 32 * 32; first < count;
       first += int(gridDim.x) * SMALL_LANES) {
    const int block = block_at(p, min(first + lane, count - 1));
    load_inputs(p, words, lane, block);
    __syncwarp();
    const uint4* weights = team;
    const float* biases = reinterpret_cast<const float*>(team + SMALL_BLOCKS_FRAGMENTS);
    uint a[2][3][4], b[2][8][4], c[2][8][4], d[2][4][4], e[2][4][4];
    load_runs<3>(a, words, lane);
    __syncwarp();
    run_layer<3, 8>(a, b, weights, biases, lane);
    run_layer<8, 8>(b, c, weights, biases, lane);
    run_layer<8, 4>(c, d, weights, biases, lane);
    run_layer<4, 4>(d, e, weights, biases, lane);
    run_last_layer<4, 3>(e, words, SMALL_OUTPUTS, weights, biases, lane);
    __syncwarp();
    if (first + lane < count) {
      Outputs outputs;
      UNROLL
      for (int k = 0; k < SMALL_OUTPUTS; k++) outputs.v[k] = outputs_of_warp[k * SMALL_PITCH + lane];
      store_block(p, outputs, block);
    }
    __syncwarp();
  }
}

KERNEL_FILE_END
