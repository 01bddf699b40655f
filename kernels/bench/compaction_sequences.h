// SPDX-License-Identifier: Apache-2.0
// Stream compaction after Billeter, Olsson and Assarsson, "Efficient stream compaction on wide SIMD many-core architectures" (HPG 2009):
// the entries are cut into as many sequences as there are processors, here 480, each a subgroup's. It counts its sequence in a loop, the
// 480 counters become sums (compaction_scan), and it goes through its sequence again and moves what is kept, a subgroup's width at a time.
// A subgroup is as wide as the device's; on the CPU, which has none, a processor is a lane.
#ifndef KERNELS_BENCH_COMPACTION_SEQUENCES_H
#define KERNELS_BENCH_COMPACTION_SEQUENCES_H

#define SEQUENCES 480
#define SEQUENCE_LANES 64  // of a block

#endif  // KERNELS_BENCH_COMPACTION_SEQUENCES_H
