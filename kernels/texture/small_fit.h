// SPDX-License-Identifier: Apache-2.0
// The ends that an encoder finds for the parts of a BC7 block: along their axis, then one pass of least squares. All subsets of a partition are fitted at
// once, since a texel belongs to one. Included between KERNEL_FILE and KERNEL_FILE_END, behind bc7_block.h and bc7_lines.h.
//
// Bytes and small whole numbers become floats, and floats whole numbers (whole_of), by sums: GPUs convert slowly.

FN float byte_float(uint word, int index) {
#if defined(__CUDACC__)
  return bits_float(__byte_perm(word, 0x4b000000u, 0x7650u + uint(index))) - 8388608.0f;
#else
  return float(byte_of(word, index));
#endif
}

// As min, max and clamp, of what is a number: GPUs have an instruction for that.
FN float lower(float x, float y) {
#if defined(__CUDACC__)
  return ::fminf(x, y);
#else
  return min(x, y);
#endif
}
FN float higher(float x, float y) {
#if defined(__CUDACC__)
  return ::fmaxf(x, y);
#else
  return max(x, y);
#endif
}
FN float between_these(float x, float low, float high) { return lower(higher(x, low), high); }

// Two bytes of a word as the lowest two, which is all there is.
FN uint two_bytes(uint word, int first, int second) {
#if defined(__CUDACC__)
  return __byte_perm(word, 0u, uint(first) | uint(second) << 4 | 0x4400u);
#else
  return uint(byte_of(word, first)) | uint(byte_of(word, second)) << 8;
#endif
}

// The texels of each part. A plane has all.
struct PartsTexels {
  int parts;
  uint of[3];
};

FN PartsTexels texels_of_parts(int mode, int pattern) {
  PartsTexels texels;
  texels.parts = kSubsets[mode];
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    uint which = s < texels.parts ? which_of(texels.parts, pattern, s) : 0u;
    KEEP(which);
    texels.of[s] = which;
  }
  return texels;
}

FN bool is_in_part(PartsTexels texels, int part, int i) { return ((texels.of[part] >> i) & 1u) != 0u; }

struct ThreeEnds {
  Ends of[3];
};

// As axis_of in fit.h, of up to three channels.
FN Axis axis_in(Moments moments, int channels) {
  Axis axis;
  float matrix[10];
  PRECISE float trace = 0.0f;
  int largest = 0;
  float most_varying = 0.0f;
  CUDA_UNROLL
  for (int i = 0; i < 10; i++) matrix[i] = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    if (c >= channels) continue;
    CUDA_UNROLL
    for (int d = c; d < 3; d++) {
      const int at = c * (7 - c) / 2 + d;
      if (d < channels)
        matrix[at] = float(moments.count * moments.product[at] - moments.sum[c] * moments.sum[d]);
    }
    const float own = matrix[c * (9 - c) / 2];
    trace = trace + own;
    largest = own > most_varying ? c : largest;
    most_varying = higher(own, most_varying);
  }
  axis.residual = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) axis.v[c] = c == largest && trace > 0.0f ? 1.0f : 0.0f;
  for (int step = 0; step < 6; step++) {
    float next[3];
    float most = 0.0f;
    CUDA_UNROLL
    for (int c = 0; c < 3; c++) {
      if (c >= channels) continue;
      PRECISE float sum = 0.0f;
      CUDA_UNROLL
      for (int d = 0; d < 3; d++) {
        if (d >= channels) continue;
        const int low = c < d ? c : d, high = c < d ? d : c;
        PRECISE float part = matrix[low * (7 - low) / 2 + high] * axis.v[d];
        sum = d == 0 ? part : sum + part;
      }
      next[c] = sum;
      most = higher(most, abs(sum));
    }
    const float scale = most > 0.0f ? scale_to_one(most) : 0.0f;
    CUDA_UNROLL
    for (int c = 0; c < 3; c++)
      if (c < channels) axis.v[c] = next[c] * scale;
  }
  return axis;
}

FN float place_on(Axis axis, uint texel, int channels) {
  PRECISE float place = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    if (c >= channels) continue;
    PRECISE float part = byte_float(texel, c) * axis.v[c];
    place = c == 0 ? part : place + part;
  }
  return place;
}

// The ends of a part whose texels lie between two places on its axis, as ends_of in fit.h. The axis has up to three of the channels.
FN Ends ends_on(Axis axis, float least, float most, Totals totals, int channels) {
  Ends ends;
  PRECISE float length = 0.0f;
  PRECISE float middle = 0.0f;
  const float per_texel = reciprocal(float_of(totals.count));
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    ends.first[c] = ends.second[c] = 0.0f;
    if (c >= channels) continue;
    PRECISE float mean = float_of(totals.sum[c]) * per_texel;
    ends.first[c] = mean;
    if (c >= 3) continue;
    PRECISE float square = axis.v[c] * axis.v[c];
    length = length + square;
    PRECISE float part = mean * axis.v[c];
    middle = middle + part;
  }
  const float per_length = length > 0.0f ? reciprocal(length) : 0.0f;
  PRECISE float down = least - middle;
  PRECISE float up = most - middle;
  down = down * per_length;
  up = up * per_length;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    if (c >= channels) continue;
    PRECISE float low = down * axis.v[c];
    PRECISE float high = up * axis.v[c];
    low = ends.first[c] + low;
    high = ends.first[c] + high;
    ends.first[c] = between_these(low, 0.0f, 255.0f);
    ends.second[c] = between_these(high, 0.0f, 255.0f);
  }
  return ends;
}

// As store_ends in bc7_fit.h: an end with either P-bit, and how far off that is.
FN StoredEnd stored_either(Coding coding, Ends ends, bool is_second, int channels) {
  StoredEnd stored;
  const bool has_p = coding.p_kind != P_NONE;
  const int all = has_p ? coding.bits + 1 : coding.bits;
  const float scale = float((1 << all) - 1) * (1.0f / 255.0f);
  CUDA_UNROLL
  for (int p_bit = 0; p_bit < 2; p_bit++) {
    stored.v[p_bit] = 0u;
    stored.error[p_bit] = 0.0f;
    if (p_bit == 1 && !has_p) continue;
    CUDA_UNROLL
    for (int c = 0; c < 4; c++) {
      if (c >= channels) continue;
      PRECISE float scaled = (is_second ? ends.second[c] : ends.first[c]) * scale;
      if (has_p) {
        scaled = scaled - float(p_bit);
        scaled = scaled * 0.5f;
      }
      scaled = scaled + 0.5f;
      const int whole = whole_of(scaled);
      stored.v[p_bit] |= uint(has_p ? 2 * min(whole, (1 << coding.bits) - 1) + p_bit : whole) << (8 * c);
    }
    if (!has_p) continue;
    const uint decoded = decoded_end(coding, stored.v[p_bit]);
    PRECISE float error = 0.0f;
    CUDA_UNROLL
    for (int c = 0; c < 4; c++) {
      if (c >= channels) continue;
      PRECISE float off = byte_float(decoded, c) - (is_second ? ends.second[c] : ends.first[c]);
      PRECISE float square = off * off;
      error = error + square;
    }
    stored.error[p_bit] = error;
  }
  return stored;
}

FN EndPair nearest_pair(Coding coding, Ends ends, int channels) {
  const StoredEnd first = stored_either(coding, ends, false, channels),
                  second = stored_either(coding, ends, true, channels);
  bool is_one_first = first.error[1] < first.error[0], is_one_second = second.error[1] < second.error[0];
  if (coding.p_kind == P_SHARED) {
    PRECISE float zeros = first.error[0] + second.error[0];
    PRECISE float ones = first.error[1] + second.error[1];
    is_one_first = is_one_second = ones < zeros;
  }
  EndPair pair;
  pair.first = is_one_first ? first.v[1] : first.v[0];
  pair.second = is_one_second ? second.v[1] : second.v[0];
  return pair;
}

// As index_texels in bc7_fit.h.
FN uint nearest_weight(uint first, uint second, uint offset, float scale, uint texel, Coding coding) {
  const int along = int(dot4(texel, second, offset) - dot4(texel, first, 0u));
  PRECISE float place = float_of(max(along, 0)) * scale;
  place = place + 0.5f;
  return (uint(min(whole_of(place), coding.last)) * coding.unit + 32768u) >> 16;
}

// As solve in fit.h.
FN Ends solved(LeastSquares squares, Ends ends, int channels) {
  const float a = float_of(squares.first_first), b = float_of(squares.first_second),
              d = float_of(squares.second_second);
  PRECISE float determinant = a * d;
  PRECISE float subtracted = b * b;
  determinant = determinant - subtracted;
  if (determinant < 1024.0f) return ends;
  PRECISE float scale = 64.0f * reciprocal(determinant);
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    if (c >= channels) continue;
    const float x = float_of(squares.first[c]), y = float_of(squares.second[c]);
    PRECISE float first = d * x;
    PRECISE float second = a * y;
    PRECISE float less_first = b * y;
    PRECISE float less_second = b * x;
    first = first - less_first;
    second = second - less_second;
    first = first * scale;
    second = second * scale;
    ends.first[c] = between_these(first, 0.0f, 255.0f);
    ends.second[c] = between_these(second, 0.0f, 255.0f);
  }
  return ends;
}

// `channels` are those that are coded. Of more than three the last one is the same in all texels.
FN ThreeEnds fitted_ends(Texels texels, Planes planes, PartsTexels which, Coding coding, int channels) {
  ThreeEnds ends;
  Totals totals[3];
  Axis axes[3];
  float least[3];
  float most[3];
  Line lines[3];
  const int changing = min(channels, 3);
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    const Moments moments = moments_in(planes, which.of[s], channels);
    totals[s] = totals_of(moments);
    axes[s] = axis_in(moments, changing);
    least[s] = 1e9f;
    most[s] = -1e9f;
  }
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    Axis axis = axes[0];
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= which.parts) continue;
      CUDA_UNROLL
      for (int c = 0; c < 3; c++) axis.v[c] = is_in_part(which, s, i) ? axes[s].v[c] : axis.v[c];
    }
    const float place = place_on(axis, texels.v[i], changing);
    CUDA_UNROLL
    for (int s = 0; s < 3; s++) {
      if (s >= which.parts) continue;
      least[s] = is_in_part(which, s, i) ? lower(least[s], place) : least[s];
      most[s] = is_in_part(which, s, i) ? higher(most[s], place) : most[s];
    }
  }
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    ends.of[s] = ends_on(axes[s], least[s], most[s], totals[s], channels);
    lines[s] = line_between(coding, nearest_pair(coding, ends.of[s], channels));
  }
  TexelWords weights;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    uint first = lines[0].first, second = lines[0].second, offset = lines[0].offset;
    float scale = lines[0].scale;
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= which.parts) continue;
      const bool is_mine = is_in_part(which, s, i);
      first = is_mine ? lines[s].first : first;
      second = is_mine ? lines[s].second : second;
      offset = is_mine ? lines[s].offset : offset;
      scale = is_mine ? lines[s].scale : scale;
    }
    weights.v[i] = nearest_weight(first, second, offset, scale, texels.v[i], coding);
  }
  Weights all;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++)
    all.v[q] = weights.v[4 * q] | (weights.v[4 * q + 1] << 8) | (weights.v[4 * q + 2] << 16) |
               (weights.v[4 * q + 3] << 24);
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    Weights mine;
    CUDA_UNROLL
    for (int q = 0; q < 4; q++) mine.v[q] = all.v[q] & bytes_of((which.of[s] >> (4 * q)) & 15u);
    ends.of[s] = solved(squares_of(mine, planes, totals[s], changing), ends.of[s], changing);
  }
  return ends;
}
