// SPDX-License-Identifier: Apache-2.0
// What both bodies of compaction_look_back share: inside KERNEL_FILE.
#ifndef KERNELS_BENCH_COMPACTION_LOOK_BACK_H
#define KERNELS_BENCH_COMPACTION_LOOK_BACK_H

#define LOOK_BACK_LANES 512
#define LOOK_BACK_FOURS 4   // of a lane; their counts are the bytes of a word
#define LOOK_BACK_BLOCKS 4  // that a multiprocessor has at once
// Words from a state to the next. Each has a cache line of its own: many blocks wait for the same few states, and would hold up those who
// write their neighbours.
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
    Counts total;       /* of what was kept; one */                             \
    int entries;                                                                \
    int tiles;                                                                  \
  };

#endif  // KERNELS_BENCH_COMPACTION_LOOK_BACK_H
