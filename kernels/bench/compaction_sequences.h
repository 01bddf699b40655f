// SPDX-License-Identifier: Apache-2.0
// Compacts a stream after Billeter, Olsson and Assarsson, "Efficient stream compaction on wide SIMD
// many-core architectures" (HPG 2009). The entries are divided into one sequence per processor;
// here there are 480, one per subgroup. A subgroup counts its sequence in a loop. Prefix sums of
// the 480 counters are computed (compaction_scan). The subgroup then reads its sequence again and
// moves the kept entries, one subgroup width at a time. On the CPU, without subgroups, a lane is a
// processor.
#ifndef KERNELS_BENCH_COMPACTION_SEQUENCES_H
#define KERNELS_BENCH_COMPACTION_SEQUENCES_H

#define SEQUENCES 480
#define SEQUENCE_LANES 64  // lanes of a block

#endif  // KERNELS_BENCH_COMPACTION_SEQUENCES_H
