// SPDX-License-Identifier: Apache-2.0
// What the kernels of the network `large` share: where the features of a tile lie. Included between KERNEL_FILE and KERNEL_FILE_END.
//
// Features are planes of floats, one for each channel: rows of the tile, and of what the layers see around it. A layer makes a part of them, of
// which it sees all neighbours, so that no layer has a border. What a body for other hardware keeps between two layers is its own matter: only
// what goes into the first and comes out of the last are planes.

#define LAYER_GROUP \
  8  // channels that are made at once; weights are packed in groups of so many, the last one filled up with zeros
// A group's weights: for each channel that goes in and tap one of each channel, then the biases.
#define LAYER_GROUP_FLOATS(inputs) (((inputs)*9 + 1) * LAYER_GROUP)

// The body for tensor cores (layer.cu) has blocks that go through tiles, and weights in the order of its fragments: for each tap and 16 channels that
// go in (of the first layer's 27 inputs, channel by channel and then zeros: twice 16), and 16 channels that come out, what each lane of a warp multiplies by, 16 bytes; then the biases.
#define LAYER_LANES 256  // of a block, of both bodies
#define HALVES_X 32
#define HALVES_Y 8
#define HALVES_WEIGHTS (36 * 4 * 32)  // of 16 bytes: the most that a layer has
#define HALVES_BYTES (16 * HALVES_WEIGHTS + 2 * (HALVES_X + 2) * (HALVES_Y + 2) * 128)  // of the team's array

// Its body for compute capability 9.0 (layer_wide.h): of each of two groups two tiles of 16 x 16 texels with those around, and what is made of them.
#define WIDE_TILE_BYTES (41 * 1024)
#define WIDE_MADE_BYTES (22 * 1024)
#define WIDE_GROUP_BYTES (2 * WIDE_TILE_BYTES + WIDE_MADE_BYTES)
#define WIDE_BYTES (1024 + 2 * WIDE_GROUP_BYTES)

#define LAYER_PARAMS(WeightsOf)                                     \
  BUFFER(Features, float)                                           \
  BUFFER(Weights, WeightsOf)                                        \
  struct Params {                                                   \
    Features from;                                                  \
    Features to;                                                    \
    Weights weights;                                                \
    int inputs;                                                     \
    int outputs;                                                    \
    int stride; /* floats from a row to the next */                 \
    int plane;  /* and from a channel */                            \
    int first;  /* where in a plane the part begins that is made */ \
    int columns;                                                    \
    int rows;                                                       \
    int adds;      /* what was in `to` is added: a residual */      \
    int rectifies; /* negative features become 0 */                 \
  };
