// SPDX-License-Identifier: Apache-2.0
// Defines the addresses of the units of a launch for host and kernels.
//
// All units of a network are in one arena. For each unit of a launch the host writes a row of ints
// (server/graph/unit_table.h):
//   0     flags of the node's time rule
//   1     a word that the node defines
//   2 ..  slots of the output units; -1 for none
//   then, for each input, the slots of the units of its window, oldest first
//   then, if the node reads quantisers: 1 if the unit has quantisers, else 0; and two tables of
//   bytes, each from an int on, row by row, with a byte for each macroblock of QUANTISER_SIDE luma
//   samples: the quantisers of the unit's picture, and those of the reference (base/quantisers.h)
// A slot is the begin of a unit, in multiples of SLOT_BYTES from the begin of the arena.
#ifndef KERNELS_LANG_UNITS_H
#define KERNELS_LANG_UNITS_H

#define ROW_FLAGS 0
#define ROW_WORD 1
#define ROW_TARGET 2

#define SLOT_BYTES 256

#define QUANTISER_SIDE 16

// Number of ints that describe a port: offset, stride, width and height of three planes, the number
// of planes, and the largest sample. The rest is unused.
#define LAYOUT_INTS 16

#endif  // KERNELS_LANG_UNITS_H
