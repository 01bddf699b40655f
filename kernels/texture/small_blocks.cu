// SPDX-License-Identifier: Apache-2.0
// small_blocks.kernel for the tensor cores of CUDA (small_tensor.h): a warp a round. A team keeps a network's weights through its rounds.
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/texture/formats.h"

KERNEL_FILE(small_blocks)

#include "kernels/texture/small.h"
#include "kernels/texture/small_tensor.h"

TEAM_KERNEL(SMALL_LANES, 2, uint4, team) {
  int rounds = 0;
  for (int submode = 0; submode < p.submodes; submode++) rounds += rounds_of(p, submode);
  // This team's share of all rounds, which may begin in one bin and end in another.
  const int begin = int(int64_t(rounds) * GROUP_X / gridDim.x);
  const int end = int(int64_t(rounds) * (GROUP_X + 1) / gridDim.x);
  const int lane = LOCAL_X % 32;
  uint* const words = warp_words(team, SMALL_BLOCKS_FRAGMENTS, SMALL_BLOCKS_BIASES, SMALL_INPUT_ROWS);
  int first = begin;
  while (first < end) {
    const Round round = round_at(p, first);
    const int last = min(end, first - round.number + rounds_of(p, round.submode));
    const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v) +
                                p.of_submodes.v[round.submode * SUBMODE_INTS + SUBMODE_WEIGHTS];
    EACH(i, SMALL_BLOCKS_FRAGMENTS + SMALL_BLOCKS_BIASES / 4) team[i] = packed[i];
    TEAM_BARRIER();
    const int count = blocks_of(p, round.submode);
    for (int number = first + LOCAL_X / 32; number < last; number += SMALL_WARPS) {
      const int place = (round.number + number - first) * SMALL_ROUND + lane;
      load_inputs(p, words, lane, block_at(p, round.submode, min(place, count - 1)));
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
      run_last_layer<4, 3>(e, p.outputs.v + int64_t(number) * (SMALL_OUTPUTS * SMALL_ROUND), SMALL_ROUND,
                           SMALL_OUTPUTS, weights, biases, lane);
    }
    TEAM_BARRIER();  // the next network's weights go over these
    first = last;
  }
}

KERNEL_FILE_END
