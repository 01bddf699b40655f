// SPDX-License-Identifier: Apache-2.0
// Compacts a stream in one pass by decoupled look-back: D. Merrill and M. Garland, "Single-pass
// parallel prefix scan with decoupled look-back" (NVIDIA, 2016). A block takes the next tile by a
// ticket, so that all tiles before it are in progress. The block publishes the count of its tile.
// It adds the published values of previous tiles, 32 at a time by a warp, back to the nearest tile
// with a known prefix sum, and publishes its own prefix sum. A published value is one word with the
// kind and the number, so that no fence is needed.
//
// A lane reads 16 bytes several times. The entries of a warp are adjacent. One sum over the lanes
// of a warp orders four of those reads at once: their counts are the bytes of a word, and a warp
// has at most 128 entries of each read. Kept entries are gathered in shared memory while previous
// tiles complete, and are written contiguously.
#include "kernels/bench/compaction_look_back.h"
#include "kernels/bench/subgroups.h"

#define WARPS (LOOK_BACK_LANES / 32)
#define COUNT_WORDS ((LOOK_BACK_FOURS + 3) / 4)
#define ALL_LANES 0xffffffffu
#define VALUE_BITS 30

KERNEL_FILE(compaction_look_back)

LOOK_BACK_PARAMS

enum Kind : uint { kNothing, kOwnCount, kSumOfAll };

FN void say(uint* state, Kind kind, uint value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(state), "r"(uint(kind) << VALUE_BITS | value)
               : "memory");
}
FN uint said(const uint* state) {
  uint word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(state) : "memory");
  return word;
}

FN uint flags_of(const int4& four) {
  return uint(four.x != 0) + uint(four.y != 0) + uint(four.z != 0) + uint(four.w != 0);
}

// Returns the number of entries kept by all previous tiles. A whole warp must call it.
FN uint look_back(const uint* states, int tile) {
  const int lane = SUBGROUP_LANE;
  uint sum = 0;
  for (int nearest = tile - 1;; nearest -= 32) {
    const int examined = nearest - lane;  // the sum before the first tile is 0
    uint word, sums, wanted;
    do {
      word = examined >= 0 ? said(states + examined * LOOK_BACK_STRIDE) : uint(kSumOfAll) << VALUE_BITS;
      sums = __ballot_sync(ALL_LANES, word >> VALUE_BITS == kSumOfAll);
      // lanes up to and including the nearest prefix sum
      wanted = sums == 0 ? ALL_LANES : sums ^ (sums - 1);
    } while ((__ballot_sync(ALL_LANES, word >> VALUE_BITS == kNothing) & wanted) != 0);
    sum += subgroup_sum((wanted >> lane & 1) != 0 ? word & ((1u << VALUE_BITS) - 1u) : 0u);
    if (sums != 0) return sum;
  }
}

SHARED(int, entries, LOOK_BACK_ENTRIES);
SHARED(uint, parts, WARPS);
SHARED(int, ticket, 1);
SHARED(uint, sum_before_tile, 1);

FN void keep_entry(int entry, INOUT(uint) index) {
  if (entry != 0) entries[index++] = entry;
}

DENSE_KERNEL(LOOK_BACK_LANES, 1, LOOK_BACK_BLOCKS) {
  const int lane = SUBGROUP_LANE, warp = SUBGROUP_INDEX;
  if (LOCAL_INDEX == 0) ticket[0] = int(atomicAdd(p.states.v, 1u));
  BARRIER();
  const int tile = ticket[0];
  uint* const states = p.states.v + LOOK_BACK_STRIDE;
  const int4* const source = reinterpret_cast<const int4*>(p.source.v);
  const int first = (tile * LOOK_BACK_LANES + warp * 32) * LOOK_BACK_FOURS + lane;
  const int fours_there = (p.entries + 3) / 4;
  int4 fours[LOOK_BACK_FOURS];
  UNROLL
  for (int k = 0; k < LOOK_BACK_FOURS; k++)
    fours[k] = first + k * 32 < fours_there ? __ldcs(source + first + k * 32) : int4{0, 0, 0, 0};
  uint before[COUNT_WORDS], sums[COUNT_WORDS], kept = 0;
  UNROLL
  for (int word = 0; word < COUNT_WORDS; word++) {
    uint counts = 0;
    UNROLL
    for (int k = word * 4; k < min(word * 4 + 4, LOOK_BACK_FOURS); k++)
      counts |= flags_of(fours[k]) << (8 * (k & 3));
    before[word] = sum_before(counts);
    sums[word] = __shfl_sync(ALL_LANES, before[word] + counts, 31);
    kept = sad4(sums[word], 0u, kept);
  }
  if (lane == 0) parts[warp] = kept;
  BARRIER();
  const uint of_warp = lane < WARPS ? parts[lane] : 0u;
  const uint total = subgroup_sum(of_warp);
  uint begin = subgroup_sum(lane < warp ? of_warp : 0u);
  uint* const state = states + tile * LOOK_BACK_STRIDE;
  if (LOCAL_INDEX == 0) {
    say(state, tile == 0 ? kSumOfAll : kOwnCount, total);
    p.next_states.v[(tile + 1) * LOOK_BACK_STRIDE] = 0u;
    if (tile == 0) p.next_states.v[0] = 0u;
  }
  UNROLL
  for (int k = 0; k < LOOK_BACK_FOURS; k++) {
    uint index = begin + uint(byte_of(before[k / 4], k & 3));
    keep_entry(fours[k].x, index);
    keep_entry(fours[k].y, index);
    keep_entry(fours[k].z, index);
    keep_entry(fours[k].w, index);
    begin += uint(byte_of(sums[k / 4], k & 3));
  }
  if (warp == 0) {
    const uint sum = look_back(states, tile);
    if (lane == 0) {
      if (tile > 0) say(state, kSumOfAll, sum + total);
      if (tile == p.tiles - 1) p.total.v[0] = sum + total;
      sum_before_tile[0] = sum;
    }
  }
  BARRIER();
  const uint sum = sum_before_tile[0];
  int* const target = p.target.v + sum;
  for (int i = LOCAL_INDEX - int(sum % 32u); i < int(total);
       i += LOOK_BACK_LANES)  // a warp writes whole lines of 128 bytes
    if (i >= 0) __stcs(target + i, entries[i]);
}
KERNEL_FILE_END
