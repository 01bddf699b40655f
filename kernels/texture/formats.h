// SPDX-License-Identifier: Apache-2.0
// Formats of blocks as kernels are told of them; the host reads the same numbers.
#ifndef KERNELS_TEXTURE_FORMATS_H
#define KERNELS_TEXTURE_FORMATS_H

#define BLOCKS_BC1 1
#define BLOCKS_BC2 2
#define BLOCKS_BC3 3
#define BLOCKS_BC4 4
#define BLOCKS_BC5 5
#define BLOCKS_BC7 7
#define BLOCKS_SIGNED 8   // with BC4 and BC5: ends are from -127 to 127
#define BLOCKS_OPAQUE 16  // with BC1: the fourth code of three colours is black, not transparent

// How long an encoder looks for a better block.
#define QUALITY_FAST 0
#define QUALITY_MEDIUM 1
#define QUALITY_BEST 2

#endif  // KERNELS_TEXTURE_FORMATS_H
