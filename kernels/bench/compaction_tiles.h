// SPDX-License-Identifier: Apache-2.0
// Defines tiles of a stream compaction with several entries per lane. A lane reads four adjacent
// entries at once, several times. The entries of a subgroup are adjacent, so that sums within it
// order them.
#ifndef KERNELS_BENCH_COMPACTION_TILES_H
#define KERNELS_BENCH_COMPACTION_TILES_H

#define TILE_LANES 256
#define LANE_FOURS 4  // reads per lane; at most 4, because their counts are packed
#define TILE_ENTRIES (TILE_LANES * LANE_FOURS * 4)

#endif  // KERNELS_BENCH_COMPACTION_TILES_H
