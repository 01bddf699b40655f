// SPDX-License-Identifier: Apache-2.0
// What the kernels of the networks `small` share: their Params, the layers of a team's blocks. Included between KERNEL_FILE and KERNEL_FILE_END.
//
// First each block's submode is picked and the block is put into that submode's bin; then each submode's network makes the blocks of its bin, so
// that lanes that run in step run one network. The order in a bin does not matter: no block sees another.

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
#define SMALL_PICK_ROWS 25  // of SMALL_PITCH words: room for a warp's inputs
#define SMALL_PITCH 36      // words from an output of a warp's blocks to the next, without conflicts of banks
#define SMALL_TENSOR_BYTES(fragments, biases, outputs) \
  (16 * (fragments) + 4 * (biases) + 4 * SMALL_WARPS * SMALL_PITCH * (outputs))

BUFFER(Words, uint)
BUFFER(Values, int16_t)
BUFFER(Weights,
       vec4)  // of each layer and group of outputs: for each input a weight of each output, then the biases
BUFFER(Bins, int)  // the number of blocks in each bin, then the bins: blocks, counted from the first row

struct Params {
  Words texels;
  Values values;  // refined, four a texel
  Words target;   // blocks in rows
  Weights weights;
  Bins bins;
  int width;  // of the small texture
  int height;
  int border;     // BORDER_...
  int blocks_x;   // of the target
  int first_row;  // of blocks
  int blocks;     // how many: whole rows, the room in each bin
  int submodes;
  int submode;  // whose bin is worked on; -1: all blocks
  int outputs;  // of its network, whole groups
  int mode;     // of BC7, or SMALL_BC1 or SMALL_BC5
  int pattern;
  int rotation;
  int selector;
  int is_normal;
};

#include "kernels/texture/enlarge.h"

// How many blocks a submode has, and which is the first, the second ...
FN int blocks_of(Params p) { return p.submode < 0 ? p.blocks : p.bins.v[p.submode]; }
FN int block_at(Params p, int place) {
  return p.submode < 0 ? place : p.bins.v[SMALL_SUBMODES_MOST + p.submode * p.blocks + place];
}

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
