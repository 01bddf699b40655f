// SPDX-License-Identifier: Apache-2.0
// Defines lines between the endpoints of a BC7 block's parts, and the positions of texels along
// them, for four bytes of a word at once. Included between KERNEL_FILE and KERNEL_FILE_END, after
// bc7_fit.h.

#define BYTE_ONES 0x01010101u
#define EVEN_BYTES 0x00ff00ffu
#define ODD_BYTES 0xff00ff00u
// A block's texels by channel. Byte k of v[4 c + q] is channel c of texel 4 q + k.
struct Planes {
  uint v[16];
};

FN Planes planes_of(Texels texels) {
  Planes planes;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++) {
    const uint a = texels.v[4 * q], b = texels.v[4 * q + 1], c = texels.v[4 * q + 2], d = texels.v[4 * q + 3];
    const uint even_ab = (a & EVEN_BYTES) | ((b & EVEN_BYTES) << 8);
    const uint even_cd = (c & EVEN_BYTES) | ((d & EVEN_BYTES) << 8);
    const uint odd_ab = ((a >> 8) & EVEN_BYTES) | (b & ODD_BYTES);
    const uint odd_cd = ((c >> 8) & EVEN_BYTES) | (d & ODD_BYTES);
    planes.v[q] = (even_ab & 0xffffu) | (even_cd << 16);
    planes.v[4 + q] = (odd_ab & 0xffffu) | (odd_cd << 16);
    planes.v[8 + q] = (even_ab >> 16) | (even_cd & 0xffff0000u);
    planes.v[12 + q] = (odd_ab >> 16) | (odd_cd & 0xffff0000u);
  }
  return planes;
}

// Expands four bits to four bytes, 255 for a set bit.
FN uint bytes_of(uint bits) { return ((bits * 0x00204081u) & BYTE_ONES) * 255u; }

// Returns sums over the texels of the mask in the first `channels` channels. The sums of the other
// channels are 0.
FN Moments moments_in(Planes planes, uint which, int channels) {
  Moments moments = no_moments();
  moments.count = count_ones(which);
  CUDA_UNROLL
  for (int q = 0; q < 4; q++) {
    const uint mask = bytes_of((which >> (4 * q)) & 15u);
    CUDA_UNROLL
    for (int c = 0; c < 4; c++) {
      if (c >= channels) continue;
      const uint mine = planes.v[4 * c + q] & mask;
      moments.sum[c] = int(dot4(mine, BYTE_ONES, uint(moments.sum[c])));
      CUDA_UNROLL
      for (int d = c; d < 4; d++) {
        if (d >= channels) continue;
        const int at = c * (7 - c) / 2 + d;
        moments.product[at] = int(dot4(mine, planes.v[4 * d + q], uint(moments.product[at])));
      }
    }
  }
  return moments;
}

// The principal direction of the colours, with quantised components: the positive ones, and the
// magnitudes of the negative ones.
struct Direction {
  uint up;
  uint down;
};

#define POWER_STEPS 5

// Finds the principal direction by the power method, starting with the column of the channel with
// the largest variance.
FN Direction direction_of(Moments moments, int channels) {
  float matrix[10];
  PRECISE float trace = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    CUDA_UNROLL
    for (int d = c; d < 4; d++) {
      const int at = c * (7 - c) / 2 + d;
      matrix[at] = d < channels
                       ? float_of(moments.count * moments.product[at] - moments.sum[c] * moments.sum[d])
                       : 0.0f;
    }
    trace = trace + matrix[c * (9 - c) / 2];
  }
  Direction direction;
  direction.up = 0u;
  direction.down = 0u;
  if (!(trace > 0.0f)) return direction;
  const float scale = scale_to_one(trace);
  CUDA_UNROLL
  for (int i = 0; i < 10; i++) matrix[i] = matrix[i] * scale;
  float axis[4];
  float most = matrix[0];
  CUDA_UNROLL
  for (int d = 0; d < 4; d++) axis[d] = matrix[d];
  CUDA_UNROLL
  for (int c = 1; c < 4; c++) {
    if (c >= channels) continue;
    const bool is_more = matrix[c * (9 - c) / 2] > most;
    most = is_more ? matrix[c * (9 - c) / 2] : most;
    CUDA_UNROLL
    for (int d = 0; d < 4; d++) {
      const int low = c < d ? c : d, high = c < d ? d : c;
      axis[d] = is_more ? matrix[low * (7 - low) / 2 + high] : axis[d];
    }
  }
  CUDA_UNROLL
  for (int step = 0; step < POWER_STEPS; step++) {
    float next[4];
    CUDA_UNROLL
    for (int c = 0; c < 4; c++) {
      if (c >= channels) continue;
      PRECISE float sum = 0.0f;
      CUDA_UNROLL
      for (int d = 0; d < 4; d++) {
        if (d >= channels) continue;
        const int low = c < d ? c : d, high = c < d ? d : c;
        PRECISE float part = matrix[low * (7 - low) / 2 + high] * axis[d];
        sum = sum + part;
      }
      next[c] = sum;
    }
    CUDA_UNROLL
    for (int c = 0; c < 4; c++)
      if (c < channels) axis[c] = next[c];
  }
  most = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++)
    if (c < channels) most = max(most, abs(axis[c]));
  const float longer = most > 0.0f ? scale_to_one(most) : 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    if (c >= channels) continue;
    const float component = axis[c] * longer;  // the largest component is 1 to 2
    PRECISE float rounded = abs(component) * 127.5f;
    rounded = rounded + ROUNDING;
    const uint code = (float_bits(rounded) & 255u) << (8 * c);
    direction.up |= component > 0.0f ? code : 0u;
    direction.down |= component > 0.0f ? 0u : code;
  }
  return direction;
}

FN int position_along(Direction direction, uint texel) {
  return int(dot4(texel, direction.up, 0u) - dot4(texel, direction.down, 0u));
}

// Returns the endpoints of a part from the range of its texels along a direction through their
// mean.
FN Ends ends_along(Direction direction, int least, int most, Totals totals, int channels) {
  Ends ends;
  const float per_texel = reciprocal(float_of(totals.count));
  const uint length = dot4(direction.up, direction.up, dot4(direction.down, direction.down, 0u));
  const float per_length = length > 0u ? reciprocal(float_of(int(length))) : 0.0f;
  int middle = 0;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++)
    if (c < channels) middle += totals.sum[c] * (byte_of(direction.up, c) - byte_of(direction.down, c));
  PRECISE float mean = float_of(middle) * per_texel;
  PRECISE float down = float_of(least) - mean;
  PRECISE float up = float_of(most) - mean;
  down = down * per_length;
  up = up * per_length;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    ends.first[c] = 0.0f;
    ends.second[c] = 0.0f;
    if (c >= channels) continue;
    const float component = float_of(byte_of(direction.up, c) - byte_of(direction.down, c));
    PRECISE float colour = float_of(totals.sum[c]) * per_texel;
    PRECISE float low = down * component;
    PRECISE float high = up * component;
    low = colour + low;
    high = colour + high;
    ends.first[c] = clamp(low, 0.0f, 255.0f);
    ends.second[c] = clamp(high, 0.0f, 255.0f);
  }
  return ends;
}

// The storage format of a part. All of its channels have the same number of bits.
struct Coding {
  uint channels;  // mask of the channels, a byte each
  int bits;
  int p_kind;
  int last;   // largest index
  uint unit;  // weight of index 1, in units of 1 / (64 * 65536)
};

FN Coding coding_of(Part part) {
  Coding coding;
  coding.channels = part.channels;
  coding.bits = max(part.colour_bits, part.alpha_bits);
  coding.p_kind = part.p_kind;
  coding.last = (1 << part.index_bits) - 1;
  coding.unit = part.index_bits == 2 ? 1398101u : part.index_bits == 3 ? 599186u : 279620u;
  return coding;
}

// An endpoint quantised with each of the two P-bits, and the errors.
struct StoredEnd {
  uint v[2];
  float error[2];
};

FN StoredEnd stored_with(Coding coding, float r, float g, float b, float a, int channels) {
  StoredEnd stored;
  PRECISE float error_0 = 0.0f;
  PRECISE float error_1 = 0.0f;
  uint whole_0 = 0u, whole_1 = 0u;
  const float largest = float_of((1 << coding.bits) - 1);
  PRECISE float most = largest + ROUNDING;
  const bool has_p = coding.p_kind != P_NONE;
  // With a P-bit, values have one more bit. They are rounded with each of the two P-bits.
  const float scale = (has_p ? largest + 0.5f : largest) * (1.0f / 255.0f);
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    if (c >= channels) continue;
    PRECISE float value = (c == 0 ? r : c == 1 ? g : c == 2 ? b : a) * scale;
    PRECISE float zero = value + ROUNDING;
    zero = min(zero, most);
    whole_0 |= (float_bits(zero) & 255u) << (8 * c);
    if (has_p) {
      PRECISE float less = value - 0.5f;
      PRECISE float one = less + ROUNDING;
      whole_1 |= (float_bits(one) & 255u) << (8 * c);
      PRECISE float off_0 = zero - ROUNDING;
      off_0 = off_0 - value;
      PRECISE float off_1 = one - ROUNDING;
      off_1 = off_1 - less;
      PRECISE float square_0 = off_0 * off_0;
      PRECISE float square_1 = off_1 * off_1;
      error_0 = error_0 + square_0;
      error_1 = error_1 + square_1;
    }
  }
  stored.v[0] = (has_p ? 2u * whole_0 : whole_0) & coding.channels;
  stored.v[1] = (2u * whole_1 + BYTE_ONES) & coding.channels;
  stored.error[0] = error_0;
  stored.error[1] = error_1;
  return stored;
}

// Two endpoints in their stored form.
struct EndPair {
  uint first;
  uint second;
};

// Quantises two endpoints, with the best P-bits, or with those given as two bits.
FN EndPair stored_pair(Coding coding, Ends ends, int p_bits, int channels) {
  const StoredEnd first =
      stored_with(coding, ends.first[0], ends.first[1], ends.first[2], ends.first[3], channels);
  const StoredEnd second =
      stored_with(coding, ends.second[0], ends.second[1], ends.second[2], ends.second[3], channels);
  bool is_one_first = (p_bits & 1) != 0, is_one_second = (p_bits & 2) != 0;
  if (p_bits < 0) {
    is_one_first = first.error[1] < first.error[0];
    is_one_second = second.error[1] < second.error[0];
    if (coding.p_kind == P_SHARED) {
      PRECISE float zeros = first.error[0] + second.error[0];
      PRECISE float ones = first.error[1] + second.error[1];
      is_one_first = ones < zeros;
      is_one_second = is_one_first;
    }
    if (coding.p_kind == P_NONE) {
      is_one_first = false;
      is_one_second = false;
    }
  }
  EndPair pair;
  pair.first = is_one_first ? first.v[1] : first.v[0];
  pair.second = is_one_second ? second.v[1] : second.v[0];
  return pair;
}

// Returns the channels of a quantised endpoint, expanded to 8 bits each and packed.
FN uint decoded_end(Coding coding, uint end) {
  const int bits = coding.p_kind == P_NONE ? coding.bits : coding.bits + 1;
  const uint below = ((1u << (8 - bits)) - 1u) * BYTE_ONES;
  return (end << (8 - bits)) | ((end >> (2 * bits - 8)) & below);
}

// The line between two decoded endpoints. Weights are in 64ths. Channels 0 and 2, and 1 and 3, are
// in the upper bytes of a word's halves.
struct Line {
  uint first;
  uint second;
  uint offset;  // difference of the products of the first endpoint with second and first
  float scale;  // factor from the difference of a texel's products to indices
  uint even;    // even channels of the first endpoint, plus one half
  uint even_step;
  uint odd;
  uint odd_step;
};

FN Line line_between(Coding coding, EndPair pair) {
  Line line;
  line.first = decoded_end(coding, pair.first);
  line.second = decoded_end(coding, pair.second);
  const uint first_first = dot4(line.first, line.first, 0u), first_second = dot4(line.first, line.second, 0u);
  const int length = int(dot4(line.second, line.second, first_first) - 2u * first_second);
  line.offset = first_first - first_second;
  line.scale = length == 0 ? 0.0f : float_of(coding.last) * reciprocal(float_of(int(length)));
  const uint even = line.first & EVEN_BYTES, odd = (line.first >> 8) & EVEN_BYTES;
  line.even_step = 4u * ((line.second & EVEN_BYTES) - even);
  line.odd_step = 4u * (((line.second >> 8) & EVEN_BYTES) - odd);
  line.even = 256u * even + 0x00800080u;
  line.odd = 256u * odd + 0x00800080u;
  return line;
}

// Returns the weight of the index nearest to a texel.
FN uint weight_along(Line line, uint texel, Coding coding) {
  const int along = int(dot4(texel, line.second, line.offset) - dot4(texel, line.first, 0u));
  PRECISE float position = max(float_of(along), 0.0f) * line.scale;
  position = position + ROUNDING;
  const int index = min(int(float_bits(position)) - ROUNDING_BITS, coding.last);
  return (uint(index) * coding.unit + 32768u) >> 16;
}

FN uint colour_at(Line line, uint weight) {
  const uint even = line.even + weight * line.even_step, odd = line.odd + weight * line.odd_step;
  return ((even >> 8) & EVEN_BYTES) | (odd & ODD_BYTES);
}

// A number for each texel.
struct TexelWords {
  uint v[16];
};

// Weights of 16 texels, a byte each.
struct Weights {
  uint v[4];
};

FN Weights packed_weights(TexelWords words) {
  Weights weights;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++)
    weights.v[q] =
        words.v[4 * q] | (words.v[4 * q + 1] << 8) | (words.v[4 * q + 2] << 16) | (words.v[4 * q + 3] << 24);
  return weights;
}

// Returns the sums for the endpoints of a set of texels, given as a mask of bytes.
FN LeastSquares squares_of(Weights weights, Planes planes, Totals totals, int channels) {
  LeastSquares squares;
  uint sum = 0u, square = 0u;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++) {
    sum = dot4(weights.v[q], BYTE_ONES, sum);
    square = dot4(weights.v[q], weights.v[q], square);
  }
  squares.second_second = int(square);
  squares.first_second = int(64u * sum - square);
  squares.first_first = int(4096u * uint(totals.count) - 128u * sum + square);
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    uint second = 0u;
    CUDA_UNROLL
    for (int q = 0; q < 4; q++)
      if (c < channels) second = dot4(weights.v[q], planes.v[4 * c + q], second);
    squares.second[c] = int(second);
    squares.first[c] = c < channels ? 64 * totals.sum[c] - int(second) : 0;
  }
  return squares;
}
