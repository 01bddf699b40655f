// SPDX-License-Identifier: Apache-2.0
// Defines the layout of a tile's features for the kernels of the network `large`. Included between
// KERNEL_FILE and KERNEL_FILE_END.
//
// Features are planes of floats, one per channel, with the rows of the tile and of the surroundings
// that the layers read. Each layer outputs the part with all neighbours in its input, so that no
// layer has a border. Bodies for other hardware may store features between layers differently: only
// the input of the first and the output of the last layer are planes.

// Number of channels that a lane computes at once. Weights are packed in groups of this size, the
// last one padded with zeros.
#define LAYER_GROUP 8
// A group's weights: one of each output channel for each input channel and tap, then the biases.
#define LAYER_GROUP_FLOATS(inputs) (((inputs)*9 + 1) * LAYER_GROUP)

// In the body for tensor cores (layer.cu) blocks loop over tiles, and the weights are in the order
// of its fragments: for each tap, 16 input channels and 16 output channels, the 16 bytes of each
// lane of a warp; then the biases. The first layer has 27 inputs, channel by channel, padded with
// zeros to twice 16.
#define LAYER_LANES 256  // lanes of a block, for both bodies
#define HALVES_X 32
#define HALVES_Y 8
#define HALVES_WEIGHTS (36 * 4 * 32)  // largest size of a layer's weights, in 16-byte units
// Bytes of the team's array: of two tiles, and with the weights, which else are read from a cache.
#define HALVES_TILES_BYTES (2 * (HALVES_X + 2) * (HALVES_Y + 2) * 128)
#define HALVES_BYTES (16 * HALVES_WEIGHTS + HALVES_TILES_BYTES)

// Sizes of the body for compute capability 9.0 (layer_wide.h): two tiles of 16 x 16 texels with
// their surroundings for each of two groups, and the output of a strip.
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
    int adds;      /* 1: adds to `to`, as a residual */             \
    int rectifies; /* negative features become 0 */                 \
  };
