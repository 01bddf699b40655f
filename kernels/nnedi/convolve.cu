// SPDX-License-Identifier: Apache-2.0
// Implements convolve.kernel for CUDA's tensor cores: products of halves, sums of floats. Features
// are rounded to halves; those of a network are far below the largest half. A block has a tile. A
// warp computes 16 of its channels, two rows at a time, with their weights in registers.
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/nnedi/convolve.h"
#include "kernels/nnedi/edge.h"
#include "kernels/nnedi/fragments.h"

#define PITCH TENSOR_PITCH(CHANNELS)
#define RUN 16       // samples of a row in a fragment
#define FRAGMENTS 4  // fragments of samples at once, for two rows
#define GROUPS (CHANNELS / CONVOLVE_GROUP)
#define WARPS (CONVOLVE_LANES / 32)
#define STEPS_OF_GROUP (CONVOLVE_GROUP / FRAGMENT_OUTPUTS)
#define STEPS_OF_TAP (CHANNELS / FRAGMENT_INPUTS)
#define WORDS_AT_ONCE 4  // words of 16 bytes that are read at once

KERNEL_FILE(convolve)

CONVOLVE_PARAMS
FEATURE_FUNCTIONS

TEAM_KERNEL(CONVOLVE_LANES, 6, vec4, team) {
  TILE_OF_BLOCK(GROUP_Z);
  if (!is_inside || p.reach.v[tile] > p.halo) return;
  const int feature_stride = MAP(MAP_STRIDE);
  const int unit = MAP(MAP_FEATURES), floats = MAP(MAP_CHANNEL);
  const int width = MAP(MAP_WIDTH);
  const int rows = MAP(MAP_ROWS);
  uint* const features = reinterpret_cast<uint*>(team);
  EACH(i, TENSOR_X * TENSOR_Y) {
    const int at = FEATURE_ROW(y_begin - 1 + i / TENSOR_X) + x_begin - 1 + i % TENSOR_X;
    const float* from = channel_at(p.from, unit, 0, floats).v + at;
    UNROLL
    for (int channel = 0; channel < CHANNELS; channel += 2 * WORDS_AT_ONCE) {
      uint words[WORDS_AT_ONCE];
      UNROLL
      for (int k = 0; k < WORDS_AT_ONCE; k++) {
        const float* const pair = from + int64_t(channel + 2 * k) * floats;
        words[k] = halves_of(pair[0], pair[floats]);
      }
      store_words(&features[(i * PITCH + channel) / 2], words);
    }
  }
  const int lane = LOCAL_X % 32, warp = LOCAL_X / 32;
  const int group = warp % GROUPS;
  uint b[9][STEPS_OF_TAP][STEPS_OF_GROUP][2];
  UNROLL
  for (int tap = 0; tap < 9; tap++) UNROLL
  for (int k = 0; k < STEPS_OF_TAP; k++) UNROLL
  for (int n = 0; n < STEPS_OF_GROUP; n++) {
    const int step = (tap * STEPS_OF_TAP + k) * (CHANNELS / FRAGMENT_OUTPUTS) + group * STEPS_OF_GROUP + n;
    b[tap][k][n][0] = p.fragments.v[step * FRAGMENT_STEP + lane];
    b[tap][k][n][1] = p.fragments.v[step * FRAGMENT_STEP + FRAGMENT_LANES + lane];
  }
  // The lane's column pair and row in a fragment.
  const int of_four = lane % 4, of_eight = lane / 4;
  const float* const biases = reinterpret_cast<const float*>(p.weights.v + group * CONVOLVE_GROUP_VECTORS) +
                              CHANNELS * 9 * CONVOLVE_GROUP;
  TEAM_BARRIER();

  // The address that the lane gives to ldmatrix.
  const uint* const fetched = features + (lane % 16 * PITCH + lane / 16 * 8) / 2;
  for (int part = warp / GROUPS * 2; part < TILE_Y; part += WARPS / GROUPS * 2) {
    float sums[FRAGMENTS][STEPS_OF_GROUP][4];
    UNROLL
    for (int n = 0; n < STEPS_OF_GROUP; n++) UNROLL
    for (int m = 0; m < FRAGMENTS; m++) UNROLL
    for (int i = 0; i < 4; i++) sums[m][n][i] = biases[n * FRAGMENT_OUTPUTS + 2 * of_four + i % 2];
    UNROLL
    for (int tap = 0; tap < 9; tap++) UNROLL
    for (int k = 0; k < STEPS_OF_TAP; k++) UNROLL
    for (int m = 0; m < FRAGMENTS; m++) {
      const int sample = (part + m / 2 + tap / 3) * TENSOR_X + m % 2 * RUN + tap % 3;
      uint a[4];
      load_matrices(a, fetched + (sample * PITCH + k * FRAGMENT_INPUTS) / 2);
      UNROLL
      for (int n = 0; n < STEPS_OF_GROUP; n++) multiply_add(sums[m][n], a, b[tap][k][n]);
    }
    UNROLL
    for (int n = 0; n < STEPS_OF_GROUP; n++) UNROLL
    for (int i = 0; i < 4; i++) {
      const int output = group * CONVOLVE_GROUP + n * FRAGMENT_OUTPUTS + 2 * of_four + i % 2;
      Features to = channel_at(p.to, unit, output, floats);
      UNROLL
      for (int m = 0; m < FRAGMENTS; m++) {
        const int x = x_begin + m % 2 * RUN + of_eight + i / 2 * 8, y = y_begin + part + m / 2;
        const int at = FEATURE_ROW(y) + x;
        float sum = sums[m][n][i];
        if (p.adds != 0) sum += to.v[at];
        if (p.rectifies != 0) sum = max(sum, 0.0f);
        to.v[at] = x < width && y < rows ? sum : 0.0f;
      }
    }
  }
}

KERNEL_FILE_END
