// SPDX-License-Identifier: Apache-2.0
// Runs the networks `small` on CUDA's tensor cores: products of halves, sums of floats. Included
// between KERNEL_FILE and KERNEL_FILE_END, after small_inputs.h.
//
// A warp processes 32 blocks, two runs of 16, through all layers in its registers: in PTX's layout
// of mma.m16n8k16, the sums of 16 outputs are the fragment of 16 inputs of the next layer. Weights
// are in shared memory, for all warps of a block, if there is room. Compute capability 9.0 has
// another body (small_wide.h).

#define RUN_BLOCKS 16

// Loads the fragments of a warp's blocks. `block_index(i)` returns block i.
template <class BlockIndex>
FN void load_runs(uint (&rows)[2][3][4], const Params& p, const BlockIndex& block_index, int lane) {
  QuadTexels texels[2][2];
  UNROLL
  for (int i = 0; i < 4; i++)
    texels[i >> 1][i & 1] = quad_texels(p, block_index(RUN_BLOCKS / 2 * i + lane / 4), lane & 3);
  UNROLL
  for (int run = 0; run < 2; run++) input_rows(rows[run], texels[run][0], texels[run][1], lane & 3);
}

// Computes the sums of one pair of 8 outputs, for each run and each half of the pair. `weights` are
// those of the pair, a step `pitch` apart. Half a pair has its two words first in `lane_words`.
template <int kSteps, int kHalves = 2>
FN void multiply_pair(float (&sums)[2][kHalves][4], const uint (&a)[2][kSteps][4], const uint4* weights,
                      int pitch, const float* biases, int lane, int lane_words = 2) {
  UNROLL
  for (int i = 0; i < kHalves; i++) {
    const float* const own = biases + 8 * i + 2 * (lane & 3);
    UNROLL
    for (int run = 0; run < 2; run++) {
      sums[run][i][0] = sums[run][i][2] = own[0];
      sums[run][i][1] = sums[run][i][3] = own[1];
    }
  }
  UNROLL
  for (int step = 0; step < kSteps; step++) {
    uint b[kHalves][2];
    if constexpr (kHalves == 2) {
      const uint4 four = weights[step * pitch + lane];
      b[0][0] = four.x;
      b[0][1] = four.y;
      b[1][0] = four.z;
      b[1][1] = four.w;
    } else {
      const uint2 two = reinterpret_cast<const uint2*>(weights + step * pitch)[lane * lane_words / 2];
      b[0][0] = two.x;
      b[0][1] = two.y;
    }
    UNROLL
    for (int run = 0; run < 2; run++) {
      UNROLL
      for (int i = 0; i < kHalves; i++) multiply_add(sums[run][i], a[run][step], b[i]);
    }
  }
}

// Computes a layer with rectification. Advances weights and biases to the next layer.
template <int kSteps, int kPairs>
FN void run_layer(const uint (&a)[2][kSteps][4], uint (&next)[2][kPairs][4], const uint4*& weights,
                  const float*& biases, int lane) {
  UNROLL
  for (int pair = 0; pair < kPairs; pair++) {
    float sums[2][2][4];
    multiply_pair<kSteps>(sums, a, weights + pair * 32, kPairs * 32, biases + 16 * pair, lane);
    UNROLL
    for (int run = 0; run < 2; run++) {
      next[run][pair][0] = rectified_halves(sums[run][0][0], sums[run][0][1]);
      next[run][pair][1] = rectified_halves(sums[run][0][2], sums[run][0][3]);
      next[run][pair][2] = rectified_halves(sums[run][1][0], sums[run][1][1]);
      next[run][pair][3] = rectified_halves(sums[run][1][2], sums[run][1][3]);
    }
  }
  weights += kSteps * kPairs * 32;
  biases += 16 * kPairs;
}

// Stores eight outputs of the last layer. Each output has the values of the 32 blocks of a round.
template <int kHalves>
FN void store_outputs(float* outputs, const float (&sums)[2][kHalves][4], int lane) {
  UNROLL
  for (int i = 0; i < kHalves; i++) {
    UNROLL
    for (int run = 0; run < 2; run++) {
      UNROLL
      for (int k = 0; k < 4; k++)
        outputs[(8 * i + 2 * (lane & 3) + k % 2) * SMALL_ROUND + RUN_BLOCKS * run + (lane >> 2) + k / 2 * 8] =
            sums[run][i][k];
    }
  }
}
