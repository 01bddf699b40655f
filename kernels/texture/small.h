// SPDX-License-Identifier: Apache-2.0
// What the kernels of the networks `small` share: their Params, the layers of a team's blocks. Included between KERNEL_FILE and KERNEL_FILE_END.
//
// First the filter says where each block's texels lie. Then its submode is picked and the block is put into that submode's bin; each submode's
// network makes the blocks of its bin, so that lanes that run in step run one network. The order in a bin does not matter: no block sees another.

#define SMALL_TEAM 16     // blocks that a team makes
#define SMALL_LANES 128   // of a team
#define SMALL_INPUTS 48   // 4x4 texels of three channels
#define SMALL_WIDEST 128  // of a layer
#define SMALL_OUTPUTS 40  // of a network at most, filled up to whole groups
#define SMALL_GROUP 8     // outputs of a layer that a lane makes at once
// Of the team's array: what goes into a layer and what comes out.
#define SMALL_FLOATS (2 * SMALL_WIDEST * SMALL_TEAM)

// Of the bodies for tensor cores (small_tensor.h): a warp makes 32 blocks. Fragments of 16 bytes of a layer, of steps of 16 inputs and pairs of 8
// outputs, all layers one after the other, then the biases as floats.
#define SMALL_WARPS 4
#define SMALL_FRAGMENTS(inputs, outputs) ((inputs) / 16 * ((outputs) / 16) * 32)
#define SMALL_OUTPUTS_FRAGMENTS 48  // SMALL_OUTPUTS, filled up to pairs
#define SMALL_BLOCKS_FRAGMENTS                                                                 \
  (SMALL_FRAGMENTS(SMALL_INPUTS, 128) + SMALL_FRAGMENTS(128, 128) + SMALL_FRAGMENTS(128, 64) + \
   SMALL_FRAGMENTS(64, 64) + SMALL_FRAGMENTS(64, SMALL_OUTPUTS_FRAGMENTS))
#define SMALL_BLOCKS_BIASES (128 + 128 + 64 + 64 + SMALL_OUTPUTS_FRAGMENTS)
#define SMALL_PICK_FRAGMENTS \
  (SMALL_FRAGMENTS(SMALL_INPUTS, 64) + SMALL_FRAGMENTS(64, 64) + SMALL_FRAGMENTS(64, 16))
#define SMALL_PICK_BIASES (64 + 64 + 16)
#define SMALL_TENSOR_BYTES(fragments, biases) (16 * (fragments) + 4 * (biases))
// What does not count of the last layer is left out: so a compute unit of 228 KiB has room for three teams.
#define SMALL_BLOCKS_BYTES                                           \
  (SMALL_TENSOR_BYTES(SMALL_BLOCKS_FRAGMENTS, SMALL_BLOCKS_BIASES) - \
   2 * 64 * (SMALL_OUTPUTS_FRAGMENTS - SMALL_OUTPUTS))
// A team puts so many blocks into bins at once: with a byte a block, and of each warp and bin where its blocks come.
#define SMALL_PICK_RUN 2048
#define SMALL_PICK_BYTES                                                          \
  (SMALL_TENSOR_BYTES(SMALL_PICK_FRAGMENTS, SMALL_PICK_BIASES) + SMALL_PICK_RUN + \
   4 * SMALL_WARPS * SMALL_SUBMODES_MOST)

BUFFER(Words, uint)
BUFFER(WordPairs, uvec2)
BUFFER(FourWords, uvec4)
BUFFER(WeightVectors,
       vec4)  // of each layer and group of outputs: for each input a weight of each output, then the biases
BUFFER(OutputPlanes, float)
BUFFER(Bins, int)  // the number of blocks in each bin, then the bins: blocks, counted from the first row
BUFFER(Submodes, int)

// Of each submode, in the order of their bins, what its network makes.
#define SUBMODE_WEIGHTS 0  // where they begin, in vectors
#define SUBMODE_OUTPUTS 1  // whole groups
#define SUBMODE_MODE 2     // of BC7, or SMALL_BC1 or SMALL_BC5
#define SUBMODE_PATTERN 3
#define SUBMODE_ROTATION 4
#define SUBMODE_SELECTOR 5
#define SUBMODE_INTS 8

// Blocks are made in rounds: of one bin each, one bin after the other, so that the last round of a bin may not be full.
#define SMALL_ROUND 32

struct Params {
  Words texels;
  Words bases;  // of each block, from the first row on, where the filter has its texels (small_base.kernel)
  OutputPlanes outputs;  // of each round: what networks say, of each output the round's blocks
  Words target;          // blocks in rows
  WeightVectors weights;
  Submodes of_submodes;
  Bins bins;
  int width;  // of the small texture
  int height;
  int border;     // BORDER_...
  int blocks_x;   // of the target
  int first_row;  // of blocks
  int blocks;     // how many: whole rows, the room in each bin
  int submodes;
  int has_bins;  // or the one submode makes all blocks
  int is_normal;
};

// How many blocks a submode has, and which is the first, the second ...
FN int blocks_of(Params p, int submode) { return p.has_bins == 0 ? p.blocks : p.bins.v[submode]; }
FN int block_at(Params p, int submode, int place) {
  return p.has_bins == 0 ? place : p.bins.v[SMALL_BINS + submode * p.blocks + place];
}
FN int rounds_of(Params p, int submode) { return (blocks_of(p, submode) + SMALL_ROUND - 1) / SMALL_ROUND; }

// The submode that a round is of, or how many there are behind the last round; and which of the submode's rounds it is.
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

// Four times the mean of the block's own 2x2 texels, in each channel.
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

// Input k of a block's networks; x and y are of its own first texel.
FN float input_of(Words texels, int width, int height, int border, int x, int y, int k, int sum) {
  const int place = k & 15;
  const uint texel = small_texel(texels, width, height, border, x + (place & 3) - 1, y + (place >> 2) - 1);
  return float(4 * byte_of(texel, k >> 4) - sum) * 0.00390625f;  // of four times 64 codes
}

// Of a layer in the team's array: (inputs + 1) * SMALL_GROUP weights a group. `at` counts vectors.
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
    const int place = (to) + group * SMALL_GROUP * SMALL_TEAM + block;                      \
    team[place] = max(low.x, least);                                                        \
    team[place + SMALL_TEAM] = max(low.y, least);                                           \
    team[place + 2 * SMALL_TEAM] = max(low.z, least);                                       \
    team[place + 3 * SMALL_TEAM] = max(low.w, least);                                       \
    team[place + 4 * SMALL_TEAM] = max(high.x, least);                                      \
    team[place + 5 * SMALL_TEAM] = max(high.y, least);                                      \
    team[place + 6 * SMALL_TEAM] = max(high.z, least);                                      \
    team[place + 7 * SMALL_TEAM] = max(high.w, least);                                      \
  }                                                                                         \
  TEAM_BARRIER();
#define SMALL_VECTORS(inputs, outputs) (((inputs) + 1) * (outputs) / 4)
#define SMALL_ANY (-3.0e38f)                     // of a layer that does not rectify
#define SMALL_OTHER (SMALL_WIDEST * SMALL_TEAM)  // where the second half of the array begins
