// SPDX-License-Identifier: Apache-2.0
// Stream compaction in one pass, by decoupled look-back: D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back" (NVIDIA, 2016). A block takes the next tile by a ticket, so that all tiles before it are in work; it says how many entries
// its tile keeps, then adds up what the tiles before it said, 32 at a time by a warp, back to the nearest that knows the sum of all
// before it, and says its own such sum. What a tile says is one word of 64 bits, kind and value, so that no fence is needed.
//
// A lane reads four times 16 bytes. A warp's entries lie together, and one sum over its lanes orders the four times at once: their counts
// are the bytes of a word, and a warp has at most 128 of each. What is kept is put together in shared memory while the tiles before come
// along, and is written in a row.
#include "kernels/bench/compaction_look_back.h"
#include "kernels/bench/subgroups.h"

#define WARPS (LOOK_BACK_LANES / 32)
#define ALL_LANES 0xffffffffu

KERNEL_FILE(compaction_look_back)

LOOK_BACK_PARAMS

enum Kind : uint { kNothing, kOwnCount, kSumOfAll };

FN void say(uint64_t* state, Kind kind, uint value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state), "l"(uint64_t(kind) << 32 | value)
               : "memory");
}
FN uint64_t said(const uint64_t* state) {
  uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(state) : "memory");
  return word;
}

// By a whole warp: what all tiles before this one keep.
FN uint look_back(const uint64_t* states, int tile) {
  const int lane = SUBGROUP_LANE;
  uint sum = 0;
  for (int nearest = tile - 1;; nearest -= 32) {
    const int looked_at = nearest - lane;  // before the first tile lies the sum 0
    uint64_t word;
    uint sums, wanted;
    do {
      word = looked_at >= 0 ? said(states + looked_at) : uint64_t(kSumOfAll) << 32;
      sums = __ballot_sync(ALL_LANES, uint(word >> 32) == kSumOfAll);
      wanted = sums == 0 ? ALL_LANES : sums ^ (sums - 1);  // up to the nearest sum of all, and that one
    } while ((__ballot_sync(ALL_LANES, uint(word >> 32) == kNothing) & wanted) != 0);
    sum += subgroup_sum((wanted >> lane & 1) != 0 ? uint(word) : 0u);
    if (sums != 0) return sum;
  }
}

FN uint flags_of(const int4& four) {
  return uint(four.x != 0) + uint(four.y != 0) + uint(four.z != 0) + uint(four.w != 0);
}

SHARED(int, entries, LOOK_BACK_ENTRIES);
SHARED(uint, parts, WARPS);
SHARED(int, ticket, 1);
SHARED(uint, sum_before_tile, 1);

FN void keep_entry(int entry, INOUT(uint) place) {
  if (entry != 0) entries[place++] = entry;
}

DENSE_KERNEL(LOOK_BACK_LANES, 1, 6) {
  const int lane = SUBGROUP_LANE, warp = SUBGROUP_INDEX;
  if (LOCAL_INDEX == 0) ticket[0] = int(atomicAdd(reinterpret_cast<unsigned long long*>(p.states.v), 1ull));
  BARRIER();
  const int tile = ticket[0];
  uint64_t* const states = p.states.v + 1;
  const int4* const source = reinterpret_cast<const int4*>(p.source.v);
  const int first = (tile * LOOK_BACK_LANES + warp * 32) * LOOK_BACK_FOURS + lane;
  const int fours_there = (p.entries + 3) / 4;
  int4 fours[LOOK_BACK_FOURS];
  UNROLL
  for (int k = 0; k < LOOK_BACK_FOURS; k++)
    fours[k] = first + k * 32 < fours_there ? __ldcs(source + first + k * 32) : int4{0, 0, 0, 0};
  uint counts = 0;
  UNROLL
  for (int k = 0; k < LOOK_BACK_FOURS; k++) counts |= flags_of(fours[k]) << (8 * k);
  const uint before = sum_before(counts);
  const uint sums = __shfl_sync(ALL_LANES, before + counts, 31);
  if (lane == 0) parts[warp] = sad4(sums, 0u, 0u);
  BARRIER();
  uint begin = 0, total = 0;
  UNROLL
  for (int w = 0; w < WARPS; w++) {
    if (w == warp) begin = total;
    total += parts[w];
  }
  if (LOCAL_INDEX == 0) say(states + tile, tile == 0 ? kSumOfAll : kOwnCount, total);
  UNROLL
  for (int k = 0; k < LOOK_BACK_FOURS; k++) {
    uint place = begin + uint(byte_of(before, k));
    keep_entry(fours[k].x, place);
    keep_entry(fours[k].y, place);
    keep_entry(fours[k].z, place);
    keep_entry(fours[k].w, place);
    begin += uint(byte_of(sums, k));
  }
  if (warp == 0) {
    const uint sum = look_back(states, tile);
    if (lane == 0) {
      if (tile > 0) say(states + tile, kSumOfAll, sum + total);
      if (tile == p.tiles - 1) p.total.v[0] = sum + total;
      sum_before_tile[0] = sum;
    }
  }
  BARRIER();
  int* const target = p.target.v + sum_before_tile[0];
  for (uint i = uint(LOCAL_INDEX); i < total; i += LOOK_BACK_LANES) __stcs(target + i, entries[i]);
}
KERNEL_FILE_END
