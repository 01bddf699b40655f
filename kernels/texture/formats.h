// SPDX-License-Identifier: Apache-2.0
// Defines block formats, as numbers shared by kernels and host.
#ifndef KERNELS_TEXTURE_FORMATS_H
#define KERNELS_TEXTURE_FORMATS_H

#define BLOCKS_NONE 0  // RGBA8
#define BLOCKS_BC1 1
#define BLOCKS_BC2 2
#define BLOCKS_BC3 3
#define BLOCKS_BC4 4
#define BLOCKS_BC5 5
#define BLOCKS_BC7 7
#define BLOCKS_SIGNED 8   // with BC4 and BC5: endpoints are from -127 to 127
#define BLOCKS_OPAQUE 16  // with BC1: the fourth index of three colours is black, not transparent

#define BLOCKS_NORMAL 32  // with BC5: blue is the third component of a unit normal

// Numbers for the networks `small`: the maximum number of BC7 submodes; BC1 and BC5 as modes that
// follow those of BC7.
#define SMALL_SUBMODES_MOST 8
#define SMALL_ALPHA_BIN 8    // bin of the blocks with alpha, which the networks do not encode
#define SMALL_BINS 9         // number of bins
#define SMALL_BASE_WORDS 24  // words per block: 16 texels of three values
#define SMALL_BC1 8
#define SMALL_BC5 9

// Addressing modes outside a texture.
#define BORDER_CLAMP 0
#define BORDER_WRAP 1
#define BORDER_MIRROR 2

// A normal has unit length if its length, in half code values, is between these.
#define UNIT_LEAST 249
#define UNIT_MOST 261

// Sources of a channel in addition to the four channels.
#define ARRANGE_ZERO 4
#define ARRANGE_ONE 5

// Quantities that are averaged for a smaller level.
#define LEVEL_MEAN_CODES 0
#define LEVEL_MEAN_LIGHT 1    // red, green and blue as linear light, decoded from sRGB
#define LEVEL_MEAN_NORMALS 2  // vectors; unit vectors are normalised

// Levels of effort of an encoder.
#define QUALITY_FAST 0
#define QUALITY_MEDIUM 1
#define QUALITY_BEST 2

// Alpha from this value on counts as opaque, except for QUALITY_BEST, because BC7 encoders trade a
// code value of alpha for better colours.
#define OPAQUE_LEAST 254

#endif  // KERNELS_TEXTURE_FORMATS_H
