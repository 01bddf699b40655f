// SPDX-License-Identifier: Apache-2.0
// The search for a BC7 block. Included between KERNEL_FILE and KERNEL_FILE_END, behind the buffer type Words.

#include "kernels/texture/bc7_block.h"

// Partitions that are tried of each mode, by quality, in bytes: modes 0, 1, 2, 3; and of mode 7.
TABLE(uint, kTriedPartitions, 3) = {0x00000000u, 0x02020402u, 0x08080e06u};
TABLE(int, kTriedAlphaPartitions, 3) = {1, 4, 14};
TABLE(int, kPasses, 3) = {1, 2, 3};  // of least squares
TABLE(int, kSweeps, 3) = {0, 1, 3};  // of small moves of the ends
// The sum of squares around the mean, times 16, below which a block is nearly of one colour.
#define FLAT_DEVIATION 4096

// How far the colours of a partition's subsets lie off lines.
FN float residual_of(Texels texels, Moments all, int subsets, int pattern, uint channels) {
  uint second = 0u, third = 0u;
  for (int i = 0; i < 16; i++) {
    const int subset = subset_of(subsets, pattern, i);
    second |= (subset == 1 ? 1u : 0u) << i;
    third |= (subset == 2 ? 1u : 0u) << i;
  }
  const Moments of_second = moments_of(texels, second, channels);
  Moments rest = without(all, of_second);
  PRECISE float residual = axis_of(of_second, 3).residual;
  if (subsets == 3) {
    const Moments of_third = moments_of(texels, third, channels);
    rest = without(rest, of_third);
    residual = residual + axis_of(of_third, 3).residual;
  }
  residual = residual + axis_of(rest, 3).residual;
  return residual;
}

struct Ranking {
  float two[64];
  float three[64];
};

// The partition that follows `after` in the order by residual; the first of all after -1. -1: there is none.
FN int next_pattern(Ranking ranking, int subsets, int patterns, int after) {
  int best = -1;
  float least = 3e38f;
  const float passed = after < 0 ? -1.0f : subsets == 2 ? ranking.two[after] : ranking.three[after];
  for (int pattern = 0; pattern < patterns; pattern++) {
    const float residual = subsets == 2 ? ranking.two[pattern] : ranking.three[pattern];
    const bool is_later = residual > passed || (residual == passed && pattern > after);
    if (is_later && residual < least) {
      least = residual;
      best = pattern;
    }
  }
  return best;
}

FN void put_part(INOUT(Encoded) made, int number, Fit fit) {
  made.end[2 * number] = fit.first;
  made.end[2 * number + 1] = fit.second;
  made.low[number] = fit.low;
  made.high[number] = fit.high;
  made.error += fit.error;
}

// Tries a mode in one of its forms and keeps it where it is better.
FN void try_form(Texels texels, int mode, int pattern, int rotation, int selector, int passes,
                 bool tries_p_bits, INOUT(Encoded) best) {
  Encoded made;
  made.error = 0;
  made.mode = mode;
  made.pattern = pattern;
  made.rotation = rotation;
  made.selector = selector;
  const Texels turned = rotated(texels, rotation);
  const int parts = kSecondBits[mode] > 0 ? 2 : kSubsets[mode];
  for (int number = 0; number < 3; number++) {
    if (number >= parts || made.error >= best.error) break;
    const Fit fit = fit_part(turned, part_of(mode, pattern, selector, number), passes, tries_p_bits);
    put_part(made, number, fit);
  }
  if (made.error < best.error) best = made;
}

// One of the small changes of a part's ends: a channel of an end one step up or down, or a P-bit the other way.
#define MOVES_OF_END 9
FN bool move_ends(Part part, int move, INOUT(uint) first, INOUT(uint) second) {
  const int kind = move % MOVES_OF_END;
  const bool is_second = move >= MOVES_OF_END;
  uint end = is_second ? second : first;
  const uint stored = (part.colour_bits == 0 ? 0u : 0x00010101u) | (part.alpha_bits == 0 ? 0u : 0x01000000u);
  if (kind == MOVES_OF_END - 1) {
    if (part.p_kind == P_NONE || (part.p_kind == P_SHARED && is_second)) return false;
    end ^= stored;
    if (part.p_kind == P_SHARED) second ^= stored;
  } else {
    const int channel = kind >> 1;
    const int bits = bits_of(part, channel);
    if (bits == 0) return false;
    const int step = part.p_kind == P_NONE ? 1 : 2;
    const int value = byte_of(end, channel) + ((kind & 1) == 0 ? step : -step);
    if (value < 0 || value >= step << bits) return false;
    end = (end & ~(255u << (8 * channel))) | (uint(value) << (8 * channel));
  }
  if (is_second) second = end;
  if (!is_second) first = end;
  return true;
}

// Moves the ends of the best form as long as that helps, through all moves so many times at most.
FN void polish(Texels texels, int sweeps, INOUT(Encoded) best) {
  const Texels turned = rotated(texels, best.rotation);
  const int parts = kSecondBits[best.mode] > 0 ? 2 : kSubsets[best.mode];
  for (int number = 0; number < 3; number++) {
    if (number >= parts || best.error == 0) break;
    const Part part = part_of(best.mode, best.pattern, best.selector, number);
    int error = -1;  // of the part; not known yet
    int idle = 0;    // moves since the last that helped
    for (int turn = -1; turn < 2 * MOVES_OF_END * sweeps; turn++) {
      uint first = best.end[2 * number], second = best.end[2 * number + 1];
      if (turn >= 0 && !move_ends(part, turn % (2 * MOVES_OF_END), first, second)) {
        idle++;
        continue;
      }
      LeastSquares squares;
      const Fit fit = index_texels(turned, part, first, second, squares);
      if (turn >= 0 && fit.error >= error) {
        idle++;
        if (idle >= 2 * MOVES_OF_END) break;
        continue;
      }
      idle = 0;
      if (turn >= 0) best.error += fit.error - error;
      error = fit.error;
      best.end[2 * number] = first;
      best.end[2 * number + 1] = second;
      best.low[number] = fit.low;
      best.high[number] = fit.high;
    }
  }
}

// A block of nearly one colour: in mode 5, with the ends between which the mean lies at the first of the weights.
FN void try_flat(Texels texels, Moments all, INOUT(Encoded) best) {
  Encoded made;
  made.error = 0;
  made.mode = 5;
  made.pattern = 0;
  made.rotation = 0;
  made.selector = 0;
  uint first = 0u, second = 0u;
  for (int c = 0; c < 3; c++) {
    const int mean = (all.sum[c] + 8) >> 4;
    int least = 256;
    int place_0 = 0, place_1 = 0;
    for (int i = 0; i < 49; i++) {
      const int end_0 = clamp((mean >> 1) + i % 7 - 3, 0, 127),
                end_1 = clamp((mean >> 1) + i / 7 - 3, 0, 127);
      const int off = abs(between(widen(end_0, 7), widen(end_1, 7), 21) - mean);
      if (off >= least) continue;
      least = off;
      place_0 = end_0;
      place_1 = end_1;
    }
    first |= uint(place_0) << (8 * c);
    second |= uint(place_1) << (8 * c);
  }
  for (int number = 0; number < 2; number++) {
    const Part part = part_of(5, 0, 0, number);
    const int alpha = (all.sum[3] + 8) >> 4;
    LeastSquares squares;
    const Fit fit = number == 0 ? index_texels(texels, part, first, second, squares)
                                : index_texels(texels, part, uint(alpha) << 24, uint(alpha) << 24, squares);
    put_part(made, number, fit);
  }
  if (made.error < best.error) best = made;
}

// 16 times the sum of the squared distances to the mean.
FN int deviation_of(Moments all) {
  int sum = 0;
  for (int c = 0; c < 4; c++) sum += 16 * all.product[product_at(c, c)] - all.sum[c] * all.sum[c];
  return sum;
}

// Forms of a mode that are tried.
FN int forms_of(int mode, int quality, bool is_opaque) {
  if (mode == 6) return 1;
  if (mode == 5) return is_opaque ? 3 : 4;
  if (mode == 4) return quality == QUALITY_FAST ? 0 : is_opaque ? 6 : 8;
  if (mode == 7) return is_opaque ? 0 : kTriedAlphaPartitions[quality];
  return is_opaque ? byte_of(kTriedPartitions[quality], mode) : 0;
}

TABLE(int, kOrder, 8) = {6, 5, 4, 1, 3, 7, 0, 2};  // those that are cheap to try first

FN Block encode(Texels texels, int quality) {
  uint alpha = 0xff000000u;
  for (int i = 0; i < 16; i++) alpha &= texels.v[i];
  const bool is_opaque = alpha == 0xff000000u;
  Encoded best;
  best.error = 0x7fffffff;
  Ranking ranking;
  const Moments all = moments_of(texels, 0xffffu, 0xffffffffu);
  if (deviation_of(all) < FLAT_DEVIATION) try_flat(texels, all, best);
  for (int place = 0; place < 8; place++) {
    const int mode = kOrder[place];
    const int forms = forms_of(mode, quality, is_opaque);
    const int subsets = kSubsets[mode];
    if (forms > 0 && (mode == 1 || mode == 7 || mode == 0))
      for (int pattern = 0; pattern < 64; pattern++) {
        const float residual = residual_of(texels, all, subsets, pattern, 0xffffffffu);
        if (subsets == 2) ranking.two[pattern] = residual;
        if (subsets == 3) ranking.three[pattern] = residual;
      }
    int pattern = -1;
    for (int form = 0; form < forms; form++) {
      if (best.error == 0) break;
      int rotation = 0, selector = 0;
      if (subsets > 1) {
        pattern = next_pattern(ranking, subsets, mode == 0 ? 16 : 64, pattern);
        if (pattern < 0) break;
        if ((subsets == 2 ? ranking.two[pattern] : ranking.three[pattern]) >= float(best.error)) break;
      }
      if (kSecondBits[mode] > 0) {
        rotation = (mode == 4 ? form >> 1 : form) + (is_opaque ? 1 : 0);
        selector = mode == 4 ? form & 1 : 0;
      }
      try_form(texels, mode, max(pattern, 0), rotation, selector, kPasses[quality],
               quality == QUALITY_BEST || (quality == QUALITY_MEDIUM && mode == 6), best);
    }
  }
  polish(texels, kSweeps[quality], best);
  return block_of(best);
}
