// SPDX-License-Identifier: Apache-2.0
// Where the units of a launch lie, as host and kernels agree on it.
//
// All units of a network lie in one arena. For each unit of a launch the host writes a row of ints (server/graph/unit_table.h):
//   0     flags of the node's time rule
//   1     a word of the node's own
//   2 ..  slots of the units that come out; -1: none
//   then, for each input, the slots of the units of its window, the oldest first
// A slot is where a unit begins, counted in multiples of SLOT_BYTES from the arena's begin.
#ifndef KERNELS_LANG_UNITS_H
#define KERNELS_LANG_UNITS_H

#define ROW_FLAGS 0
#define ROW_WORD 1
#define ROW_TARGET 2

#define SLOT_BYTES 256

// Ints that describe a port: four for each of three planes (offset, stride, width, height), the number of planes, the largest sample.
#define LAYOUT_INTS 16

#endif  // KERNELS_LANG_UNITS_H
