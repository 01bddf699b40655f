// SPDX-License-Identifier: Apache-2.0
// Defines the Params of the kernels of the networks `small`, and the layers of a team's blocks.
// Included between KERNEL_FILE and KERNEL_FILE_END.
//
// First the filter computes each block's texels. Then a submode is selected for each block, and the
// block is added to that submode's bin. Each submode's network encodes the blocks of its bin, so
// that lanes in lockstep run one network. The order in a bin is arbitrary, because blocks are
// independent.

#define SMALL_TEAM 16     // blocks per team
#define SMALL_LANES 128   // lanes per team
#define SMALL_INPUTS 48   // 4x4 texels of three channels
#define SMALL_WIDEST 128  // inputs or outputs of the widest layer
#define SMALL_OUTPUTS 40  // maximum outputs of a network, padded to whole groups
#define SMALL_GROUP 8     // outputs of a layer that a lane computes at once
// Number of inputs and outputs of a layer in the team's array.
#define SMALL_FLOATS (2 * SMALL_WIDEST * SMALL_TEAM)

// Sizes of the bodies for tensor cores (small_tensor.h), where a warp has 32 blocks. The weights
// are fragments of 16 bytes, for steps of 16 inputs and pairs of 8 outputs, all layers one after
// the other, then the biases as floats.
#define SMALL_WARPS 4
#define SMALL_FRAGMENTS(inputs, outputs) ((inputs) / 16 * ((outputs) / 16) * 32)
#define SMALL_OUTPUTS_FRAGMENTS 48  // SMALL_OUTPUTS, padded to pairs
#define SMALL_BLOCKS_FRAGMENTS                                                                 \
  (SMALL_FRAGMENTS(SMALL_INPUTS, 128) + SMALL_FRAGMENTS(128, 128) + SMALL_FRAGMENTS(128, 64) + \
   SMALL_FRAGMENTS(64, 64) + SMALL_FRAGMENTS(64, SMALL_OUTPUTS_FRAGMENTS))
#define SMALL_BLOCKS_BIASES (128 + 128 + 64 + 64 + SMALL_OUTPUTS_FRAGMENTS)
#define SMALL_PICK_FRAGMENTS \
  (SMALL_FRAGMENTS(SMALL_INPUTS, 64) + SMALL_FRAGMENTS(64, 64) + SMALL_FRAGMENTS(64, 16))
#define SMALL_PICK_BIASES (64 + 64 + 16)
#define SMALL_TENSOR_BYTES(fragments, biases) (16 * (fragments) + 4 * (biases))
// Bytes without the unused part of the last layer. So a multiprocessor with 228 KiB has room for
// three teams.
#define SMALL_BLOCKS_BYTES                                           \
  (SMALL_TENSOR_BYTES(SMALL_BLOCKS_FRAGMENTS, SMALL_BLOCKS_BIASES) - \
   2 * 64 * (SMALL_OUTPUTS_FRAGMENTS - SMALL_OUTPUTS))
// Number of blocks that a team adds to bins at once. The team needs a byte per block, and the
// position of its blocks for each warp and bin.
#define SMALL_PICK_RUN 2048
#define SMALL_PICK_BYTES                                                          \
  (SMALL_TENSOR_BYTES(SMALL_PICK_FRAGMENTS, SMALL_PICK_BIASES) + SMALL_PICK_RUN + \
   4 * SMALL_WARPS * SMALL_SUBMODES_MOST)

BUFFER(Words, uint)
BUFFER(WordPairs, uvec2)
BUFFER(FourWords, uvec4)
BUFFER(WeightVectors,
       // For each layer and group of outputs: a weight of each output for each input, then the
       // biases.
       vec4)
BUFFER(OutputPlanes, float)
// The number of blocks in each bin, then the bins. A bin has block numbers, counted from the first
// row.
BUFFER(Bins, int)
BUFFER(Submodes, int)

// Each submode, in the order of the bins, has these numbers:
#define SUBMODE_WEIGHTS 0  // begin of the network's weights, in vectors
#define SUBMODE_OUTPUTS 1  // number of the network's outputs, in whole groups
#define SUBMODE_MODE 2     // a mode of BC7, or SMALL_BC1 or SMALL_BC5
#define SUBMODE_PATTERN 3
#define SUBMODE_ROTATION 4
#define SUBMODE_SELECTOR 5
#define SUBMODE_INTS 8

// Number of blocks of an encoding round. Blocks are sorted into bins by submode. A round holds
// blocks of one bin, so the last round of each bin may be partial.
#define SMALL_ROUND 32

struct Params {
  Words texels;
  Words bases;  // the filter's texels of each block, from the first row on (small_base.kernel)
  // The networks' outputs for each round: for each output, the values of the round's blocks.
  OutputPlanes outputs;
  Words target;  // blocks in rows
  WeightVectors weights;
  Submodes of_submodes;
  Bins bins;
  int width;  // width of the small texture
  int height;
  int border;     // BORDER_...
  int blocks_x;   // blocks per row of the target
  int first_row;  // first row of blocks
  int blocks;     // number of blocks, in whole rows; capacity of each bin
  int submodes;
  int has_bins;  // 0 if all blocks have the same submode
  int is_normal;
};

// Return the number of blocks of a submode, and the number of one of these blocks.
FN int blocks_of(Params p, int submode) { return p.has_bins == 0 ? p.blocks : p.bins.v[submode]; }
FN int block_at(Params p, int submode, int index) {
  return p.has_bins == 0 ? index : p.bins.v[SMALL_BINS + submode * p.blocks + index];
}
FN int rounds_of(Params p, int submode) { return (blocks_of(p, submode) + SMALL_ROUND - 1) / SMALL_ROUND; }

// The submode of a round, and the number of the round in its submode. Beyond the last round these
// are p.submodes, and the number of rounds beyond.
struct Round {
  int submode;
  int number;
};
FN Round round_at(Params p, int number) {
  Round round;
  round.submode = 0;
  round.number = number;
  while (round.submode < p.submodes) {
    const int rounds = rounds_of(p, round.submode);
    if (round.number < rounds) break;
    round.number -= rounds;
    round.submode++;
  }
  return round;
}

#include "kernels/texture/resample.h"

FN uint small_texel(Words texels, int width, int height, int border, int x, int y) {
  return texels.v[border_at(y, height, border) * width + border_at(x, width, border)];
}

// Four times the mean of the 2x2 small texels of a block, in each channel.
struct Sums {
  int v[3];
};
FN Sums sums_of(Words texels, int width, int height, int border, int x, int y) {
  Sums sums;
  for (int c = 0; c < 3; c++) sums.v[c] = 0;
  for (int k = 0; k < 4; k++) {
    const uint texel = small_texel(texels, width, height, border, x + (k & 1), y + (k >> 1));
    for (int c = 0; c < 3; c++) sums.v[c] += byte_of(texel, c);
  }
  return sums;
}

// Returns input k of a block's networks. x and y are the position of its first texel.
FN float input_of(Words texels, int width, int height, int border, int x, int y, int k, int sum) {
  const int index = k & 15;
  const uint texel = small_texel(texels, width, height, border, x + (index & 3) - 1, y + (index >> 2) - 1);
  return float(4 * byte_of(texel, k >> 4) - sum) * 0.00390625f;  // 1 / (4 * 64) per code value
}

// Computes a layer. Its weights in the team's array are (inputs + 1) * SMALL_GROUP per group. `at`
// counts vectors.
#define SMALL_LAYER(inputs, outputs, from, to, at, least)                                   \
  EACH(i, (outputs) / SMALL_GROUP * SMALL_TEAM) {                                           \
    const int block = i % SMALL_TEAM, group = i / SMALL_TEAM;                               \
    const int first = (at) + group * ((inputs) + 1) * (SMALL_GROUP / 4);                    \
    vec4 low = p.weights.v[first + (inputs)*2], high = p.weights.v[first + (inputs)*2 + 1]; \
    for (int k = 0; k < (inputs); k++) {                                                    \
      const float value = team[(from) + k * SMALL_TEAM + block];                            \
      const vec4 a = p.weights.v[first + 2 * k], b = p.weights.v[first + 2 * k + 1];        \
      low.x = mad(a.x, value, low.x);                                                       \
      low.y = mad(a.y, value, low.y);                                                       \
      low.z = mad(a.z, value, low.z);                                                       \
      low.w = mad(a.w, value, low.w);                                                       \
      high.x = mad(b.x, value, high.x);                                                     \
      high.y = mad(b.y, value, high.y);                                                     \
      high.z = mad(b.z, value, high.z);                                                     \
      high.w = mad(b.w, value, high.w);                                                     \
    }                                                                                       \
    const int index = (to) + group * SMALL_GROUP * SMALL_TEAM + block;                      \
    team[index] = max(low.x, least);                                                        \
    team[index + SMALL_TEAM] = max(low.y, least);                                           \
    team[index + 2 * SMALL_TEAM] = max(low.z, least);                                       \
    team[index + 3 * SMALL_TEAM] = max(low.w, least);                                       \
    team[index + 4 * SMALL_TEAM] = max(high.x, least);                                      \
    team[index + 5 * SMALL_TEAM] = max(high.y, least);                                      \
    team[index + 6 * SMALL_TEAM] = max(high.z, least);                                      \
    team[index + 7 * SMALL_TEAM] = max(high.w, least);                                      \
  }                                                                                         \
  TEAM_BARRIER();
#define SMALL_VECTORS(inputs, outputs) (((inputs) + 1) * (outputs) / 4)
#define SMALL_ANY (-3.0e38f)                     // lower bound in a layer without rectification
#define SMALL_OTHER (SMALL_WIDEST * SMALL_TEAM)  // begin of the second half of the team's array
