// SPDX-License-Identifier: Apache-2.0
// Defines macros for both bodies of compaction_look_back. Included inside KERNEL_FILE.
#ifndef KERNELS_BENCH_COMPACTION_LOOK_BACK_H
#define KERNELS_BENCH_COMPACTION_LOOK_BACK_H

#define LOOK_BACK_LANES 512
#define LOOK_BACK_FOURS 4   // reads of a lane; their counts are the bytes of a word
#define LOOK_BACK_BLOCKS 4  // blocks per multiprocessor
// Distance between states in words. Each state has its own cache line, because many blocks poll the
// same few states and would delay writes of adjacent ones.
#define LOOK_BACK_STRIDE 32
#define LOOK_BACK_ENTRIES (LOOK_BACK_LANES * LOOK_BACK_FOURS * 4)

#define LOOK_BACK_PARAMS                                                        \
  BUFFER(Entries, int)                                                          \
  BUFFER(States, uint)                                                          \
  BUFFER(Counts, uint)                                                          \
  struct Params {                                                               \
    Entries source; /* as many entries as are missing of the last four are 0 */ \
    Entries target;                                                             \
    States states;      /* a ticket, then each tile's: 0 before the launch */   \
    States next_states; /* likewise, of the next launch: 0 after this one */    \
    Counts total;       /* of the kept entries; one */                          \
    int entries;                                                                \
    int tiles;                                                                  \
  };

#endif  // KERNELS_BENCH_COMPACTION_LOOK_BACK_H
