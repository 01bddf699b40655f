// SPDX-License-Identifier: Apache-2.0
// Fits parts of a BC7 block to its texels. Included between KERNEL_FILE and KERNEL_FILE_END, after
// bc7_lines.h.

#define NO_ERROR_YET 0x7fffffff

// Return the first and the next P-bits to test. 0 to 3 are the bits of each endpoint; shared bits
// are 0 and 3. -1 selects the best ones.
FN int first_p_bits(Coding coding, bool tries_p_bits) {
  return coding.p_kind == P_NONE || !tries_p_bits ? -1 : 0;
}
FN int next_p_bits(Coding coding, int p_bits) {
  if (p_bits < 0) return 4;
  return p_bits + (coding.p_kind == P_SHARED ? 3 : 1);
}

// Two endpoints, and the error of the texels.
struct PartFit {
  EndPair pair;
  int error;
};

FN PartFit no_fit(bool is_part) {
  PartFit fit;
  fit.pair.first = 0u;
  fit.pair.second = 0u;
  fit.error = is_part ? NO_ERROR_YET : 0;
  return fit;
}

// Returns the indices of eight texels, four bits each, from their weights.
FN uint indices_of(uint low, uint high, int last) {
  uint indices = 0u;
  CUDA_UNROLL
  for (int i = 0; i < 8; i++) {
    const int weight = byte_of(i < 4 ? low : high, i & 3);
    indices |= uint((weight * last + 32) >> 6) << (4 * i);
  }
  return indices;
}

// Fits the endpoints of the whole block, in the channels of the encoding.
FN PartFit fit_whole(Texels texels, Planes planes, Totals totals, Ends begin, Coding coding, int passes,
                     bool tries_p_bits, int channels, INOUT(Weights) best_weights) {
  Ends ends = begin;
  PartFit best = no_fit(true);
  for (int pass = 0; pass <= passes; pass++) {
    bool is_better = false;
    for (int p_bits = first_p_bits(coding, tries_p_bits); p_bits < 4; p_bits = next_p_bits(coding, p_bits)) {
      const EndPair pair = stored_pair(coding, ends, p_bits, channels);
      const Line line = line_between(coding, pair);
      TexelWords weights;
      uint square = uint(totals.square), products = 0u;
      CUDA_UNROLL
      for (int i = 0; i < 16; i++) {
        weights.v[i] = weight_along(line, texels.v[i], coding);
        const uint colour = colour_at(line, weights.v[i]);
        square = dot4(colour, colour, square);
        products = dot4(colour, texels.v[i], products);
      }
      const int error = int(square - 2u * products);
      if (error < best.error) {
        is_better = true;
        best.error = error;
        best.pair = pair;
        best_weights = packed_weights(weights);
      }
    }
    if (!is_better || best.error == 0 || pass == passes) break;
    if (!solve(squares_of(best_weights, planes, totals, channels), ends, channels)) break;
  }
  return best;
}

// Returns the line of a texel's subset.
FN Line either_line(bool is_second, Line first, Line second) {
  Line line;
  line.first = is_second ? second.first : first.first;
  line.second = is_second ? second.second : first.second;
  line.offset = is_second ? second.offset : first.offset;
  line.scale = is_second ? second.scale : first.scale;
  line.even = is_second ? second.even : first.even;
  line.even_step = is_second ? second.even_step : first.even_step;
  line.odd = is_second ? second.odd : first.odd;
  line.odd_step = is_second ? second.odd_step : first.odd_step;
  return line;
}

// The endpoints of each part.
struct PartsEnds {
  Ends of[3];
};
struct PartsTotals {
  Totals of[3];
};
struct PartsFits {
  PartFit of[3];
};

// Fits all subsets of a partition at once, because a texel belongs to only one.
FN PartsFits fit_subsets(Texels texels, Planes planes, Moments all, Subsets split, Coding coding, int passes,
                         bool tries_p_bits, int subsets, int channels, INOUT(Weights) best_weights) {
  PartsEnds ends;
  PartsTotals totals;
  Direction directions[3];
  Moments rest = all;
  CUDA_UNROLL
  for (int s = 2; s >= 0; s--) {
    if (s >= subsets) continue;
    Moments moments = rest;
    if (s > 0) {
      moments = moments_in(planes, split.which[s], channels);
      rest = without(rest, moments);
    }
    totals.of[s] = totals_of(moments);
    directions[s] = direction_of(moments, channels);
  }
  int least[3];
  int most[3];
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    least[s] = 1 << 20;
    most[s] = -(1 << 20);
  }
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    Direction direction = directions[0];
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= subsets) continue;
      direction.up = is_in(split, s, i) ? directions[s].up : direction.up;
      direction.down = is_in(split, s, i) ? directions[s].down : direction.down;
    }
    const int position = position_along(direction, texels.v[i]);
    CUDA_UNROLL
    for (int s = 0; s < 3; s++) {
      if (s >= subsets) continue;
      least[s] = is_in(split, s, i) ? min(least[s], position) : least[s];
      most[s] = is_in(split, s, i) ? max(most[s], position) : most[s];
    }
  }
  PartsFits best;
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    best.of[s] = no_fit(s < subsets);
    if (s < subsets) ends.of[s] = ends_along(directions[s], least[s], most[s], totals.of[s], channels);
  }
  for (int pass = 0; pass <= passes; pass++) {
    uint better = 0u;  // one bit per subset
    for (int p_bits = first_p_bits(coding, tries_p_bits); p_bits < 4; p_bits = next_p_bits(coding, p_bits)) {
      EndPair pairs[3];
      Line lines[3];
      uint errors[3];
      CUDA_UNROLL
      for (int s = 0; s < 3; s++) {
        if (s >= subsets) {
          pairs[s] = pairs[0];
          lines[s] = lines[0];
          errors[s] = 0u;
          continue;
        }
        pairs[s] = stored_pair(coding, ends.of[s], p_bits, channels);
        lines[s] = line_between(coding, pairs[s]);
        errors[s] = uint(totals.of[s].square);
      }
      TexelWords weights;
      CUDA_UNROLL
      for (int i = 0; i < 16; i++) {
        Line line = either_line(is_in(split, 1, i), lines[0], lines[1]);
        if (subsets == 3) line = either_line(is_in(split, 2, i), line, lines[2]);
        weights.v[i] = weight_along(line, texels.v[i], coding);
        const uint colour = colour_at(line, weights.v[i]);
        const uint error = dot4(colour, colour, 0u) - 2u * dot4(colour, texels.v[i], 0u);
        CUDA_UNROLL
        for (int s = 0; s < 3; s++)
          if (s < subsets) errors[s] += is_in(split, s, i) ? error : 0u;
      }
      uint changed = 0u;  // texels of improved subsets
      CUDA_UNROLL
      for (int s = 0; s < 3; s++) {
        if (s >= subsets) continue;
        const bool is_better = int(errors[s]) < best.of[s].error;
        best.of[s].error = is_better ? int(errors[s]) : best.of[s].error;
        best.of[s].pair.first = is_better ? pairs[s].first : best.of[s].pair.first;
        best.of[s].pair.second = is_better ? pairs[s].second : best.of[s].pair.second;
        changed |= is_better ? split.which[s] : 0u;
        better |= is_better ? 1u << s : 0u;
      }
      const Weights packed = packed_weights(weights);
      CUDA_UNROLL
      for (int q = 0; q < 4; q++) {
        const uint mask = bytes_of((changed >> (4 * q)) & 15u);
        best_weights.v[q] = (best_weights.v[q] & ~mask) | (packed.v[q] & mask);
      }
    }
    if (better == 0u || pass == passes) break;
    CUDA_UNROLL
    for (int s = 0; s < 3; s++) {
      if (s >= subsets) continue;
      Weights mine;
      CUDA_UNROLL
      for (int q = 0; q < 4; q++) mine.v[q] = best_weights.v[q] & bytes_of((split.which[s] >> (4 * q)) & 15u);
      if (((better >> s) & 1u) != 0u)
        solve(squares_of(mine, planes, totals.of[s], channels), ends.of[s], channels);
    }
  }
  return best;
}
