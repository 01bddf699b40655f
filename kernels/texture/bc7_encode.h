// SPDX-License-Identifier: Apache-2.0
// Searches for the encoding of a BC7 block. Included between KERNEL_FILE and KERNEL_FILE_END, after
// the buffer type Words.

#include "kernels/texture/bc7_block.h"
#include "kernels/texture/bc7_lines.h"
#include "kernels/texture/bc7_order.h"
#include "kernels/texture/bc7_parts.h"

// Number of partitions to test, by quality: a byte for each of modes 0, 1, 2 and 3; then those of
// mode 7.
TABLE(uint, kTriedPartitions, 3) = {0x00000000u, 0x02020502u, 0x04080e06u};
TABLE(int, kTriedAlphaPartitions, 3) = {1, 6, 14};
TABLE(int, kPasses, 3) = {2, 3, 3};  // passes of least squares
TABLE(int, kSweeps, 3) = {0, 1, 3};  // sweeps of small endpoint changes
// A block is nearly uniform if its sum of squares around the mean, times 16, is below this.
#define FLAT_DEVIATION 4096

// The texels and the settings of the search.
struct Search {
  Texels texels;
  Planes planes;
  Moments all;
  int quality;
  bool is_opaque;
};

// The best encoding so far.
struct Found {
  int error;
  int mode;
  int pattern;
  int rotation;
  int selector;
  EndPair pair[3];
  Weights weights;
  Weights alone;  // weights of the second plane
};

FN Weights no_weights() {
  Weights weights;
  weights.v[0] = weights.v[1] = weights.v[2] = weights.v[3] = 0u;
  return weights;
}

FN Found nothing_found() {
  Found found;
  found.error = NO_ERROR_YET;
  found.mode = 0;
  found.pattern = 0;
  found.rotation = 0;
  found.selector = 0;
  for (int i = 0; i < 3; i++) found.pair[i].first = found.pair[i].second = 0u;
  found.weights = no_weights();
  found.alone = no_weights();
  return found;
}

// Returns endpoints of all texels along the line through their colours.
FN Ends ends_of_whole(Texels texels, Moments moments, int channels) {
  const Direction direction = direction_of(moments, channels);
  int least = 1 << 20, most = -(1 << 20);
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    const int position = position_along(direction, texels.v[i]);
    least = min(least, position);
    most = max(most, position);
  }
  return ends_along(direction, least, most, totals_of(moments), channels);
}

// Tests mode 6.
FN void try_whole(Search search, INOUT(Found) best) {
  const Coding coding = coding_of(part_of(6, 0, 0, 0));
  const Ends ends = ends_of_whole(search.texels, search.all, 4);
  Weights weights = no_weights();
  const PartFit fit = fit_whole(search.texels, search.planes, totals_of(search.all), ends, coding,
                                kPasses[search.quality], search.quality != QUALITY_FAST, 4, weights);
  if (fit.error < best.error) {
    best.error = fit.error;
    best.mode = 6;
    best.rotation = 0;
    best.pair[0] = fit.pair;
    best.weights = weights;
  }
}

// Exchanges alpha and a colour in place. A second call reverts it.
FN void turn(INOUT(Search) search, int rotation) {
  if (rotation == 0) return;
  search.texels = rotated(search.texels, rotation);
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    CUDA_UNROLL
    for (int q = 0; q < 4; q++) {
      const uint colour = search.planes.v[4 * c + q], alpha = search.planes.v[12 + q];
      search.planes.v[4 * c + q] = c == rotation - 1 ? alpha : colour;
      search.planes.v[12 + q] = c == rotation - 1 ? colour : alpha;
    }
  }
}

// Tests modes 5 and 4, with separate alpha.
FN void try_planes(Search search, int rotation, INOUT(Found) best) {
  const Moments moments = moments_in(search.planes, 0xffffu, 4);
  Totals alone = totals_of(moments);
  Totals colours = alone;
  alone.square = moments.product[9];
  colours.square -= moments.product[9];
  const Ends ends = ends_of_whole(search.texels, moments, 3);
  int least = 255, most = 0;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    least = min(least, byte_of(search.texels.v[i], 3));
    most = max(most, byte_of(search.texels.v[i], 3));
  }
  Ends ends_alone;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    ends_alone.first[c] = float(least);
    ends_alone.second[c] = float(most);
  }
  const int passes = kPasses[search.quality];
  for (int form = 0; form < (search.quality == QUALITY_FAST ? 1 : 3); form++) {
    if (best.error == 0) break;
    const int mode = form == 0 ? 5 : 4, selector = form == 2 ? 1 : 0;
    const Coding coding = coding_of(part_of(mode, 0, selector, 0));
    Weights weights = no_weights();
    const PartFit fit =
        fit_whole(search.texels, search.planes, colours, ends, coding, passes, false, 3, weights);
    if (fit.error < best.error) {
      const Coding coding_alone = coding_of(part_of(mode, 0, selector, 1));
      Weights weights_alone = no_weights();
      const PartFit fit_alone = fit_whole(search.texels, search.planes, alone, ends_alone, coding_alone,
                                          passes, false, 4, weights_alone);
      if (fit.error + fit_alone.error < best.error) {
        best.error = fit.error + fit_alone.error;
        best.mode = mode;
        best.rotation = rotation;
        best.selector = selector;
        best.pair[0] = fit.pair;
        best.pair[1] = fit_alone.pair;
        best.weights = weights;
        best.alone = weights_alone;
      }
    }
  }
}

// Tests partitions of two or three subsets, one mode after the other. Blocks without alpha have
// three channels, others four.
FN void try_partitions(Search search, int subsets, int channels, INOUT(Found) best) {
  Order order = no_order();
  Patterns patterns = patterns_below(order, 0);
  Patterns of_16 = patterns;  // mode 0 has only 16 patterns
  for (int pattern = 0; pattern < 64; pattern++) {
    if (pattern == 16) of_16 = patterns_below(order, best.error);
    insert(order, residual_of(search.planes, search.all, subsets, pattern, channels), pattern,
           search.quality == QUALITY_BEST);
  }
  patterns = patterns_below(order, best.error);
  for (int turn = 0; turn < (channels == 4 ? 1 : 2); turn++) {
    const int mode = channels == 4 ? 7 : subsets == 2 ? 1 + 2 * turn : 2 * turn;
    const int count = channels == 4 ? kTriedAlphaPartitions[search.quality]
                                    : byte_of(kTriedPartitions[search.quality], mode);
    Patterns tried = patterns;
    if (mode == 0) tried = of_16;
    const Coding coding = coding_of(part_of(mode, 0, 0, 0));
    for (int form = 0; form < min(count, tried.count); form++) {
      const int pattern = pattern_at(tried, form);
      Weights weights = no_weights();
      const PartsFits fits =
          fit_subsets(search.texels, search.planes, search.all, subsets_of(subsets, pattern), coding,
                      kPasses[search.quality], search.quality == QUALITY_BEST, subsets, channels, weights);
      const int error = fits.of[0].error + fits.of[1].error + fits.of[2].error;
      if (error < best.error) {
        best.error = error;
        best.mode = mode;
        best.pattern = pattern;
        best.rotation = 0;
        CUDA_UNROLL
        for (int s = 0; s < 3; s++) best.pair[s] = fits.of[s].pair;
        best.weights = weights;
      }
    }
  }
}

// Makes a small change of a part's endpoints: it changes a channel of an endpoint by one step, or
// flips a P-bit.
#define MOVES_OF_END 9
FN bool move_ends(Coding coding, int move, INOUT(EndPair) pair) {
  const bool is_second = move >= MOVES_OF_END;
  const int kind = is_second ? move - MOVES_OF_END : move;
  uint end = is_second ? pair.second : pair.first;
  if (kind == MOVES_OF_END - 1) {
    if (coding.p_kind == P_NONE || (coding.p_kind == P_SHARED && is_second)) return false;
    end ^= coding.channels & BYTE_ONES;
    if (coding.p_kind == P_SHARED) pair.second ^= coding.channels & BYTE_ONES;
  } else {
    const int channel = kind >> 1;
    if (byte_of(coding.channels, channel) == 0) return false;
    const int step = coding.p_kind == P_NONE ? 1 : 2;
    const int value = byte_of(end, channel) + ((kind & 1) == 0 ? step : -step);
    if (value < 0 || value >= step << coding.bits) return false;
    end = (end & ~(255u << (8 * channel))) | (uint(value) << (8 * channel));
  }
  if (is_second) pair.second = end;
  if (!is_second) pair.first = end;
  return true;
}

// Finds the weights of all texels between two endpoints, and returns their error. The error lacks
// the sum of the texels' squares.
FN int quantise_part(Texels texels, uint which, Coding coding, EndPair pair, INOUT(Weights) packed) {
  const Line line = line_between(coding, pair);
  TexelWords weights;
  uint error = 0u;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    weights.v[i] = weight_along(line, texels.v[i], coding);
    const uint colour = colour_at(line, weights.v[i]);
    const uint more = dot4(colour, colour, 0u) - 2u * dot4(colour, texels.v[i], 0u);
    error += ((which >> i) & 1u) != 0u ? more : 0u;
  }
  packed = packed_weights(weights);
  return int(error);
}

// Returns `weights` for the texels of the mask, `others` for the rest.
FN Weights chosen_weights(uint which, Weights weights, Weights others) {
  Weights chosen;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++) {
    const uint mask = bytes_of((which >> (4 * q)) & 15u);
    chosen.v[q] = (weights.v[q] & mask) | (others.v[q] & ~mask);
  }
  return chosen;
}

// Improves the endpoints of the best encoding by small changes, in a limited number of sweeps over
// all changes.
FN void polish(Texels unturned, int sweeps, INOUT(Found) best) {
  const Texels texels = rotated(unturned, best.rotation);
  const bool is_planes = kSecondBits[best.mode] > 0;
  const int parts = is_planes ? 2 : kSubsets[best.mode];
  for (int number = 0; number < 3; number++) {
    if (number < parts && best.error != 0) {
      const Part part = part_of(best.mode, best.pattern, best.selector, number);
      const Coding coding = coding_of(part);
      PartFit fit;
      fit.pair = best.pair[0];
      Weights weights = no_weights();
      fit.error = quantise_part(texels, part.which, coding, fit.pair, weights);
      best.error -= fit.error;
      int idle = 0;  // number of changes since the last improvement
      int move = 0;
      for (int turn = 0; turn < 2 * MOVES_OF_END * sweeps; turn++) {
        EndPair pair = fit.pair;
        idle++;
        if (move_ends(coding, move, pair)) {
          Weights moved = weights;
          const int error = quantise_part(texels, part.which, coding, pair, moved);
          if (error < fit.error) {
            idle = 0;
            fit.pair = pair;
            fit.error = error;
            weights = moved;
          }
        }
        if (idle >= 2 * MOVES_OF_END) break;
        move = move == 2 * MOVES_OF_END - 1 ? 0 : move + 1;
      }
      best.error += fit.error;
      best.pair[0] = fit.pair;
      if (is_planes && number == 1) {
        best.alone = weights;
      } else {
        best.weights = chosen_weights(part.which, weights, best.weights);
      }
    }
    // Parts rotate: the current part is always the first.
    const EndPair pair = best.pair[0];
    best.pair[0] = best.pair[1];
    best.pair[1] = best.pair[2];
    best.pair[2] = pair;
  }
}

// Encodes a nearly uniform block in mode 5, with endpoints that give the mean at the first weight.
FN void try_flat(Search search, INOUT(Found) best) {
  EndPair pair;
  pair.first = pair.second = 0u;
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    // For each of 256 means, endpoints of 7 bits exist that have the exact mean at a third of their
    // distance.
    const int mean = (search.all.sum[c] + 8) >> 4;
    pair.first |= uint(mean >> 1) << (8 * c);
    pair.second |= uint((mean < 128 ? mean + 1 : mean - 1) >> 1) << (8 * c);
  }
  best.error = totals_of(search.all).square;
  best.mode = 5;
  best.pair[0] = pair;
  best.error += quantise_part(search.texels, 0xffffu, coding_of(part_of(5, 0, 0, 0)), pair, best.weights);
  pair.first = pair.second = uint((search.all.sum[3] + 8) >> 4) << 24;
  best.pair[1] = pair;
  best.error += quantise_part(search.texels, 0xffffu, coding_of(part_of(5, 0, 0, 1)), pair, best.alone);
}

// Returns 16 times the sum of the squared distances to the mean.
FN int deviation_of(Moments all) {
  int sum = 16 * totals_of(all).square;
  for (int c = 0; c < 4; c++) sum -= all.sum[c] * all.sum[c];
  return sum;
}

FN Encoded encoded_of(Found found) {
  const bool is_planes = kSecondBits[found.mode] > 0;
  Encoded made;
  made.error = found.error;
  made.mode = found.mode;
  made.pattern = found.pattern;
  made.rotation = found.rotation;
  made.selector = found.selector;
  for (int number = 0; number < 3; number++) {
    Part part = part_of(found.mode, found.pattern, found.selector, number);
    if (number >= (is_planes ? 2 : kSubsets[found.mode])) part.which = 0u;
    const int last = (1 << part.index_bits) - 1;
    Weights weights = found.weights;
    if (is_planes && number == 1) weights = found.alone;
    made.end[2 * number] = found.pair[number].first;
    made.end[2 * number + 1] = found.pair[number].second;
    made.low[number] = indices_of(weights.v[0], weights.v[1], last) & (15u * nibbles_of(part.which));
    made.high[number] = indices_of(weights.v[2], weights.v[3], last) & (15u * nibbles_of(part.which >> 8));
  }
  return made;
}

// Encodes a block. Cheap modes are first.
FN Block encode(Texels texels, int quality) {
  Search search;
  search.texels = texels;
  search.quality = quality;
  uint alpha = 255u;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) alpha = min(alpha, texels.v[i] >> 24);
  search.is_opaque = alpha >= (quality == QUALITY_BEST ? 255u : uint(OPAQUE_LEAST));
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) search.texels.v[i] |= search.is_opaque ? 0xff000000u : 0u;
  search.planes = planes_of(search.texels);
  search.all = moments_in(search.planes, 0xffffu, 4);
  Found best = nothing_found();
  if (deviation_of(search.all) < FLAT_DEVIATION) try_flat(search, best);
  if (best.error != 0) try_whole(search, best);
  for (int rotation = search.is_opaque ? 1 : 0; rotation < 4; rotation++) {
    if (best.error == 0) break;
    turn(search, rotation);
    try_planes(search, rotation, best);
    turn(search, rotation);
  }
  const int channels = search.is_opaque ? 3 : 4;
  search.all = moments_in(search.planes, 0xffffu, channels);
  // Modes of three subsets have no alpha. Fast searches of opaque blocks test no partitions.
  const int begin = search.is_opaque && quality == QUALITY_FAST ? 4 : 2;
  const int end = search.is_opaque ? 3 : 2;
#if defined(__CUDACC__)  // separate code for each set of constants: longer, but faster
  if (best.error != 0 && begin == 2 && end == 2) try_partitions(search, 2, 4, best);
  if (best.error != 0 && begin == 2 && end == 3) try_partitions(search, 2, 3, best);
  if (best.error != 0 && begin == 2 && end == 3) try_partitions(search, 3, 3, best);
#else
  for (int subsets = begin; subsets <= end; subsets++)
    if (best.error != 0) try_partitions(search, subsets, channels, best);
#endif
  if (kSweeps[quality] > 0) polish(search.texels, kSweeps[quality], best);
  return block_of(encoded_of(best));
}
