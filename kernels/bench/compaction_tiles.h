// SPDX-License-Identifier: Apache-2.0
// Tiles of a stream compaction with several entries a lane: a lane reads four neighbours at once, several times; a subgroup's entries lie
// together, so that sums within it order them.
#ifndef KERNELS_BENCH_COMPACTION_TILES_H
#define KERNELS_BENCH_COMPACTION_TILES_H

#define TILE_LANES 256
#define LANE_FOURS 4  // at most: their counts are packed
#define TILE_ENTRIES (TILE_LANES * LANE_FOURS * 4)

#endif  // KERNELS_BENCH_COMPACTION_TILES_H
