// SPDX-License-Identifier: Apache-2.0
// Formats of blocks as kernels are told of them; the host reads the same numbers.
#ifndef KERNELS_TEXTURE_FORMATS_H
#define KERNELS_TEXTURE_FORMATS_H

#define BLOCKS_NONE 0  // RGBA8
#define BLOCKS_BC1 1
#define BLOCKS_BC2 2
#define BLOCKS_BC3 3
#define BLOCKS_BC4 4
#define BLOCKS_BC5 5
#define BLOCKS_BC7 7
#define BLOCKS_SIGNED 8   // with BC4 and BC5: ends are from -127 to 127
#define BLOCKS_OPAQUE 16  // with BC1: the fourth code of three colours is black, not transparent

#define BLOCKS_NORMAL 32  // with BC5: blue is the third component of a normal of unit length

// Of the networks `small`: how many submodes of BC7 they have at most, and BC1 and BC5 as modes behind those of BC7.
#define SMALL_SUBMODES_MOST 8
#define SMALL_ALPHA_BIN 8    // of the blocks that the networks do not make, for their alpha
#define SMALL_BINS 9         // and how many bins there are
#define SMALL_BASE_WORDS 24  // of a block: 16 texels of three values
#define SMALL_BC1 8
#define SMALL_BC5 9

// What stands beyond the borders of a texture.
#define BORDER_CLAMP 0
#define BORDER_WRAP 1
#define BORDER_MIRROR 2

// A normal is one unit long with a length, in half codes, between these.
#define UNIT_LEAST 249
#define UNIT_MOST 261

// What a channel is read from beside the four.
#define ARRANGE_ZERO 4
#define ARRANGE_ONE 5

// What a smaller level is the mean of.
#define LEVEL_MEAN_CODES 0
#define LEVEL_MEAN_LIGHT 1    // of red, green and blue the linear light that codes of sRGB stand for
#define LEVEL_MEAN_NORMALS 2  // vectors of unit length stay so

// How long an encoder looks for a better block.
#define QUALITY_FAST 0
#define QUALITY_MEDIUM 1
#define QUALITY_BEST 2

// Encoders of BC7 give up a code of alpha for nearer colours, so this counts as opaque, but for the quality QUALITY_BEST.
#define OPAQUE_LEAST 254

#endif  // KERNELS_TEXTURE_FORMATS_H
