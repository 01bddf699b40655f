// SPDX-License-Identifier: Apache-2.0
// Computes sums of absolute differences of a block's samples for search.kernel. The body of that
// kernel uses BEGIN_DIFFERENCES and MEASURE.
//
// On GPUs the team's lanes share the words of the block's rows, luma first, then chroma, and keep
// them for all candidates; two candidates are measured at a time. On CPUs a row is a vector.
#ifndef KERNELS_MOTION_DIFFERENCES_H
#define KERNELS_MOTION_DIFFERENCES_H

#include "kernels/motion/sample_words.h"

FN int log2_of(int power_of_two) { return count_ones(uint(power_of_two - 1)); }

#if defined(VULKAN) || defined(__CUDACC__)

FN uint difference_of(uint a, uint b, uint sum) {
  if (WORD_LOG2 == 2) return sad4(a, b, sum);
  return sum + uint(abs(half_of(a, 0) - half_of(b, 0)) + abs(half_of(a, 1) - half_of(b, 1)));
}

#if defined(__CUDACC__)
#define SEARCH_BARRIER() __syncwarp()  // a team is a warp
#else
#define SEARCH_BARRIER() TEAM_BARRIER()
#endif

// NOTE_COST keeps the minimum of the costs noted between barriers, and the number of its candidate
// (the first of equal ones). FIND_LEAST_COST accepts that minimum if it is less than `best_cost`.
#define BEGIN_COSTS EACH(i, 1) team[TEAM_COSTS + i] = MOST_COST * MOST_CANDIDATES
#define NOTE_COST(i, cost) ATOMIC_MIN(team[TEAM_COSTS + none], (cost)*MOST_CANDIDATES + (i))
#define FIND_LEAST_COST(count)                \
  const int least = team[TEAM_COSTS + none];  \
  if (least / MOST_CANDIDATES < best_cost) {  \
    best_cost = least / MOST_CANDIDATES;      \
    better = first + least % MOST_CANDIDATES; \
  }

// Luma words per lane for blocks of 16; chroma of 4:2:0 has half as many.
#define WHOLE_LUMA (2 * BYTES_OF(PIXEL))
#define WHOLE_WORDS (3 * BYTES_OF(PIXEL))
#define MOST_LANE_WORDS 6
#define SUM_PARTS ((SEARCH_LANES + SUBGROUP_LANES - 1) / SUBGROUP_LANES)

// A lane processes the words `first`, `first` + SEARCH_LANES and so on. In rows shorter than a
// word, only a part of the word counts.
#define TAKE_WORDS(first, count)                                                                            \
  UNROLL                                                                                                    \
  for (int k = 0; k < (count); k++) {                                                                       \
    const int at = (first) + k * SEARCH_LANES;                                                              \
    const int is_luma = at < luma_words ? 1 : 0;                                                            \
    const int in_chroma = at - luma_words, plane = is_luma == 1 ? 0 : 1 + (in_chroma >> chroma_words_log2); \
    const int in_plane = is_luma == 1 ? at : in_chroma & ((1 << chroma_words_log2) - 1);                    \
    const int row_log2 = is_luma == 1 ? row_words_log2 : chroma_row_words_log2;                             \
    const int row = in_plane >> row_log2, column = (in_plane & ((1 << row_log2) - 1)) << WORD_LOG2;         \
    const int left = (bx * step) >> (is_luma == 1 ? 0 : subsampling_x);                                     \
    const int top = (by * step) >> (is_luma == 1 ? 0 : subsampling_y);                                      \
    word_is_luma[k] = is_luma;                                                                              \
    word_mask[k] = at >= all_words ? 0u : is_luma == 1 ? 0xffffffffu : chroma_mask;                         \
    word_index[k] = at >= all_words                                                                         \
                        ? luma_offset                                                                       \
                        : (plane == 0   ? luma_offset                                                       \
                           : plane == 1 ? u_offset                                                          \
                                        : v_offset) +                                                       \
                              (top + row) * (is_luma == 1 ? stride : chroma_stride) + left + column;        \
    word_own[k] = word_at(own_words, word_index[k]) & word_mask[k];                                         \
    if (is_whole == 1) word_index[k] = word_index[k] >> WORD_LOG2;                                          \
  }

// is_whole means that each lane has whole words, aligned to words in memory.
#define BEGIN_DIFFERENCES                                                                               \
  Words own_words = VIEW(Words, uint, plane_at(p.arena, own_slot, p.slot_samples, 0));                  \
  Words other_words = VIEW(Words, uint, plane_at(p.arena, other_slot, p.slot_samples, 0));              \
  const int luma_offset = LEVEL(p.level, LEVEL_LUMA), u_offset = LEVEL(p.level, LEVEL_U),               \
            v_offset = LEVEL(p.level, LEVEL_V);                                                         \
  const int block_log2 = log2_of(block);                                                                \
  const int row_words_log2 = block_log2 - WORD_LOG2;                                                    \
  const int chroma_row_words_log2 = max(block_log2 - subsampling_x - WORD_LOG2, 0);                     \
  const int chroma_words_log2 = chroma_row_words_log2 + block_log2 - subsampling_y;                     \
  const int luma_words = 1 << (row_words_log2 + block_log2);                                            \
  const int all_words = luma_words + (p.chroma == 1 ? 2 << chroma_words_log2 : 0);                      \
  const uint chroma_mask = block_log2 - subsampling_x >= WORD_LOG2                                      \
                               ? 0xffffffffu                                                            \
                               : (1u << ((block >> subsampling_x) << (5 - WORD_LOG2))) - 1u;            \
  const int lane_words = (all_words + SEARCH_LANES - 1) / SEARCH_LANES;                                 \
  uint word_own[MOST_LANE_WORDS];                                                                       \
  uint word_mask[MOST_LANE_WORDS];                                                                      \
  int word_index[MOST_LANE_WORDS];                                                                      \
  int word_is_luma[MOST_LANE_WORDS];                                                                    \
  const int is_whole = luma_words == WHOLE_LUMA * SEARCH_LANES &&                                       \
                               (p.chroma == 0 || all_words == WHOLE_WORDS * SEARCH_LANES) &&            \
                               chroma_mask == 0xffffffffu &&                                            \
                               (((step | (step >> subsampling_x) | luma_offset | u_offset | v_offset) & \
                                 ((1 << WORD_LOG2) - 1)) == 0)                                          \
                           ? 1                                                                          \
                           : 0;                                                                         \
  if (is_whole == 1 || lane_words <= 3) {                                                               \
    TAKE_WORDS(LOCAL_INDEX, WHOLE_WORDS)                                                                \
  } else {                                                                                              \
    TAKE_WORDS(LOCAL_INDEX, MOST_LANE_WORDS)                                                            \
  }

#define MEASURE_WORDS(count)                                                                           \
  UNROLL                                                                                               \
  for (int k = 0; k < (count); k++) {                                                                  \
    const int is_luma = word_is_luma[k];                                                               \
    const uint here = word_own[k], mask = word_mask[k];                                                \
    sum_a = difference_of(                                                                             \
        here, word_at(other_words, word_index[k] + (is_luma == 1 ? luma_a : chroma_a)) & mask, sum_a); \
    sum_b = difference_of(                                                                             \
        here, word_at(other_words, word_index[k] + (is_luma == 1 ? luma_b : chroma_b)) & mask, sum_b); \
  }

#define MEASURE_WHOLE(from, to, at_a, shift_a, at_b, shift_b)                                             \
  UNROLL                                                                                                  \
  for (int k = (from); k < (to); k++) {                                                                   \
    sum_a =                                                                                               \
        difference_of(word_own[k], shifted_word_at(other_words, word_index[k] + (at_a), shift_a), sum_a); \
    sum_b =                                                                                               \
        difference_of(word_own[k], shifted_word_at(other_words, word_index[k] + (at_b), shift_b), sum_b); \
  }

// Measures the `listed` candidates with numbers in `list`, four bits each; stores each subgroup's
// part in team[TEAM_SUMS ..]. All lanes must reach it.
#define MEASURE(list, listed, limit)                                                             \
  for (int pair = 0; pair < (listed); pair += 2) {                                               \
    const int a = int((list) >> (4 * pair)) & 15;                                                \
    const int b = pair + 1 < (listed) ? int((list) >> (4 * pair + 4)) & 15 : a;                  \
    const int luma_a = team[TEAM_LUMA + a], luma_b = team[TEAM_LUMA + b];                        \
    const int chroma_a = team[TEAM_CHROMA + a], chroma_b = team[TEAM_CHROMA + b];                \
    uint sum_a = 0u, sum_b = 0u;                                                                 \
    if (is_whole == 1) {                                                                         \
      MEASURE_WHOLE(0, WHOLE_LUMA, luma_a >> WORD_LOG2, WORD_SHIFT(luma_a), luma_b >> WORD_LOG2, \
                    WORD_SHIFT(luma_b))                                                          \
      if (p.chroma == 1) {                                                                       \
        MEASURE_WHOLE(WHOLE_LUMA, WHOLE_WORDS, chroma_a >> WORD_LOG2, WORD_SHIFT(chroma_a),      \
                      chroma_b >> WORD_LOG2, WORD_SHIFT(chroma_b))                               \
      }                                                                                          \
    } else if (lane_words <= 3) {                                                                \
      MEASURE_WORDS(3)                                                                           \
    } else if (lane_words <= MOST_LANE_WORDS) {                                                  \
      MEASURE_WORDS(MOST_LANE_WORDS)                                                             \
    } else {                                                                                     \
      for (int begin = LOCAL_INDEX; begin < all_words + LOCAL_INDEX;                             \
           begin += MOST_LANE_WORDS * SEARCH_LANES) {                                            \
        TAKE_WORDS(begin, MOST_LANE_WORDS)                                                       \
        MEASURE_WORDS(MOST_LANE_WORDS)                                                           \
      }                                                                                          \
    }                                                                                            \
    sum_a = subgroup_sum(sum_a);                                                                 \
    sum_b = subgroup_sum(sum_b);                                                                 \
    if (SUBGROUP_LANE == 0) {                                                                    \
      team[TEAM_SUMS + a * MOST_SUBGROUPS + LOCAL_INDEX / SUBGROUP_LANES] = int(sum_a);          \
      team[TEAM_SUMS + b * MOST_SUBGROUPS + LOCAL_INDEX / SUBGROUP_LANES] = int(sum_b);          \
    }                                                                                            \
  }

#else  // CPU

#define SUM_PARTS 1
#define SEARCH_BARRIER() TEAM_BARRIER()

#define BEGIN_COSTS static_cast<void>(0)
#define NOTE_COST(i, cost) team[TEAM_COSTS + (i)] = cost
#define FIND_LEAST_COST(count)              \
  for (int i = 0; i < (count); i++) {       \
    if (team[TEAM_COSTS + i] < best_cost) { \
      best_cost = team[TEAM_COSTS + i];     \
      better = first + i;                   \
    }                                       \
  }

// CPUs keep the sums in vectors if the number of samples in a row is a compile-time constant.
#define SUMS_OF(count)                                                     \
  uint sums[count] = {};                                                   \
  for (int y = 0; y < rows; y++)                                           \
    for (int i = 0; i < (count); i++) {                                    \
      const PIXEL here = a.v[y * stride + i], there = b.v[y * stride + i]; \
      sums[i] += PIXEL(here > there ? here - there : there - here);        \
    }                                                                      \
  for (int i = 0; i < (count); i++) sum += sums[i]
FN int difference_by_columns(Plane a, Plane b, int stride, int count, int rows) {
  uint sum = 0;
  if (count == 32) {
    SUMS_OF(32);
  } else if (count == 16) {
    SUMS_OF(16);
  } else if (count == 8) {
    SUMS_OF(8);
  } else {
    for (int y = 0; y < rows; y++)
      for (int i = 0; i < count; i++) sum += uint(abs(int(a.v[y * stride + i]) - int(b.v[y * stride + i])));
  }
  return int(sum);
}

#if BYTES_OF(PIXEL) == 1 && defined(__SSE2__)
// Sums for rows of `count` bytes (8, 16 or 32). A block must have at least two rows.
typedef long long LongPair __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)
typedef char Bytes __attribute__((vector_size(16)));          // NOLINT(modernize-use-using)
FN Bytes sixteen_at(const uint8_t* a) {
  Bytes bytes;
  __builtin_memcpy(&bytes, a, sizeof(bytes));
  return bytes;
}
FN Bytes two_rows_at(const uint8_t* a, int stride) {
  LongPair rows;
  __builtin_memcpy(&rows, a, 8);
  __builtin_memcpy(reinterpret_cast<char*>(&rows) + 8, a + stride, 8);
  return Bytes(rows);
}
FN int plane_difference(Plane a, Plane b, int stride, int count, int rows) {
  LongPair sum = {0, 0};
  if (count == 16) {
    for (int y = 0; y < rows; y++)
      sum += LongPair(__builtin_ia32_psadbw128(sixteen_at(a.v + y * stride), sixteen_at(b.v + y * stride)));
  } else if (count == 8) {
    for (int y = 0; y < rows; y += 2)
      sum += LongPair(__builtin_ia32_psadbw128(two_rows_at(a.v + y * stride, stride),
                                               two_rows_at(b.v + y * stride, stride)));
  } else if (count == 32) {
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < 32; x += 16)
        sum += LongPair(
            __builtin_ia32_psadbw128(sixteen_at(a.v + y * stride + x), sixteen_at(b.v + y * stride + x)));
  } else {
    return difference_by_columns(a, b, stride, count, rows);
  }
  return int(sum[0] + sum[1]);
}
#else
FN int plane_difference(Plane a, Plane b, int stride, int count, int rows) {
  return difference_by_columns(a, b, stride, count, rows);
}
#endif

#define BEGIN_DIFFERENCES                                                                                 \
  const int own_luma = LEVEL(p.level, LEVEL_LUMA) + by * step * stride + bx * step;                       \
  const int own_chroma = ((by * step) >> subsampling_y) * chroma_stride + ((bx * step) >> subsampling_x); \
  const int own_u = LEVEL(p.level, LEVEL_U) + own_chroma, own_v = LEVEL(p.level, LEVEL_V) + own_chroma

#define PLANE_DIFFERENCE(from, moved, row_stride, count, rows)        \
  plane_difference(plane_at(p.arena, own_slot, p.slot_samples, from), \
                   plane_at(p.arena, other_slot, p.slot_samples, (from) + (moved)), row_stride, count, rows)

// Stops measuring a candidate if its luma SAD alone reaches `limit`.
#define MEASURE(list, listed, limit)                                                 \
  for (int next = 0; next < (listed); next++) {                                      \
    const int a = int((list) >> (4 * next)) & 15;                                    \
    int sum = PLANE_DIFFERENCE(own_luma, team[TEAM_LUMA + a], stride, block, block); \
    if (p.chroma == 1 && (sum >> p.depth_shift) < (limit)) {                         \
      const int moved = team[TEAM_CHROMA + a];                                       \
      const int columns = block >> subsampling_x, rows = block >> subsampling_y;     \
      sum += PLANE_DIFFERENCE(own_u, moved, chroma_stride, columns, rows) +          \
             PLANE_DIFFERENCE(own_v, moved, chroma_stride, columns, rows);           \
    }                                                                                \
    team[TEAM_SUMS + a * MOST_SUBGROUPS] = sum;                                      \
  }

#endif
#endif  // KERNELS_MOTION_DIFFERENCES_H
