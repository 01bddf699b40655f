// SPDX-License-Identifier: Apache-2.0
// What both bodies of compaction_look_back share: inside KERNEL_FILE.
#ifndef KERNELS_BENCH_COMPACTION_LOOK_BACK_H
#define KERNELS_BENCH_COMPACTION_LOOK_BACK_H

#define LOOK_BACK_LANES 256
#define LOOK_BACK_FOURS 4  // of a lane; their counts are the bytes of a word
#define LOOK_BACK_ENTRIES (LOOK_BACK_LANES * LOOK_BACK_FOURS * 4)

#define LOOK_BACK_PARAMS                                                        \
  BUFFER(Entries, int)                                                          \
  BUFFER(States, uint64_t)                                                      \
  BUFFER(Counts, uint)                                                          \
  struct Params {                                                               \
    Entries source; /* as many entries as are missing of the last four are 0 */ \
    Entries target;                                                             \
    States states; /* a ticket, then each tile's: 0 before the launch */        \
    Counts total;  /* of what was kept; one */                                  \
    int entries;                                                                \
    int tiles;                                                                  \
  };

#endif  // KERNELS_BENCH_COMPACTION_LOOK_BACK_H
