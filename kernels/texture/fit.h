// SPDX-License-Identifier: Apache-2.0
// What encoders of blocks share: a block's texels, the line through their colours, and a reciprocal that is the same on every device. Included
// between KERNEL_FILE and KERNEL_FILE_END.

// CUDA's compiler leaves long loops as they are, with their arrays in memory. The others take these for what they are; unrolled, they would get a
// text that takes them half a minute.
#if defined(__CUDACC__)
#define CUDA_UNROLL UNROLL
#else
#define CUDA_UNROLL
#endif

// Added to a float below 2^22, it leaves a whole number, the nearest, in the float's lowest bits.
#define ROUNDING 12582912.0f
#define ROUNDING_BITS 0x4B400000

// Of a whole number between -2^22 and 2^22, exactly: GPUs convert slowly.
FN float float_of(int value) {
  PRECISE float moved = bits_float(uint(ROUNDING_BITS + value));
  moved = moved - ROUNDING;
  return moved;
}

// GPUs convert slowly, so byte_float is a sum there; and they have an instruction for the lower and the higher of what is a number.
#if defined(__CUDACC__)
FN float byte_float(uint word, int index) {
  return bits_float(__byte_perm(word, 0x4b000000u, 0x7650u + uint(index))) - 8388608.0f;
}
FN float lower(float x, float y) { return ::fminf(x, y); }
FN float higher(float x, float y) { return ::fmaxf(x, y); }
#else
FN float byte_float(uint word, int index) { return float(byte_of(word, index)); }
FN float lower(float x, float y) { return min(x, y); }
FN float higher(float x, float y) { return max(x, y); }
#endif
FN float between_these(float x, float low, float high) { return lower(higher(x, low), high); }

// Of a block, red in the lowest byte.
struct Texels {
  uint v[16];
};

// Sums over texels: of channels, and of their products (00 01 02 03 11 12 13 22 23 33).
struct Moments {
  int count;
  int sum[4];
  int product[10];
};

// A line's direction, of any length; a zero where all colours are one. The last channel is 0.
struct Axis {
  float v[4];
};

// Nearest texels stand in beyond the edges.
FN Texels load_texels(Words source, int width, int height, int block_x, int block_y) {
  Texels texels;
  for (int i = 0; i < 16; i++) {
    const int x = min(4 * block_x + (i & 3), width - 1);
    const int y = min(4 * block_y + (i >> 2), height - 1);
    texels.v[i] = source.v[y * width + x];
  }
  return texels;
}

FN void add_texel(INOUT(Moments) moments, uint texel) {
  const int r = byte_of(texel, 0), g = byte_of(texel, 1), b = byte_of(texel, 2), a = byte_of(texel, 3);
  moments.count++;
  moments.sum[0] += r;
  moments.sum[1] += g;
  moments.sum[2] += b;
  moments.sum[3] += a;
  moments.product[0] += r * r;
  moments.product[1] += r * g;
  moments.product[2] += r * b;
  moments.product[3] += r * a;
  moments.product[4] += g * g;
  moments.product[5] += g * b;
  moments.product[6] += g * a;
  moments.product[7] += b * b;
  moments.product[8] += b * a;
  moments.product[9] += a * a;
}

FN Moments no_moments() {
  Moments moments;
  moments.count = 0;
  for (int i = 0; i < 4; i++) moments.sum[i] = 0;
  for (int i = 0; i < 10; i++) moments.product[i] = 0;
  return moments;
}

// Of the texels whose bits are set.
FN Moments moments_of(Texels texels, uint which) {
  Moments moments = no_moments();
  for (int i = 0; i < 16; i++)
    if (((which >> i) & 1u) != 0u) add_texel(moments, texels.v[i]);
  return moments;
}

FN Moments without(Moments all, Moments some) {
  Moments rest;
  rest.count = all.count - some.count;
  for (int i = 0; i < 4; i++) rest.sum[i] = all.sum[i] - some.sum[i];
  for (int i = 0; i < 10; i++) rest.product[i] = all.product[i] - some.product[i];
  return rest;
}

// What a part's texels have in common: of these sums no more is needed to fit its ends.
struct Totals {
  int count;
  int sum[4];
  int square;  // the sum of all channels' squares
};

FN Totals totals_of(Moments moments) {
  Totals totals;
  totals.count = moments.count;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) totals.sum[c] = moments.sum[c];
  totals.square = moments.product[0] + moments.product[4] + moments.product[7] + moments.product[9];
  return totals;
}

// 1 / value, for normal positive numbers: of products and differences alone, which are exact everywhere.
FN float reciprocal(float value) {
  PRECISE float guess = bits_float(0x7EF311C7u - float_bits(value));
  for (int i = 0; i < 4; i++) {
    PRECISE float left = value * guess;
    left = 2.0f - left;
    guess = guess * left;
  }
  return guess;
}

// A power of two that brings a positive number between 1 and 2.
FN float scale_to_one(float value) { return bits_float(uint(254 - int(float_bits(value) >> 23)) << 23); }

// The direction in which up to three channels vary most, by six steps of the power method.
FN Axis axis_of(Moments moments, int channels) {
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

// Two colours, of 0 to 255 a channel.
struct Ends {
  float first[4];
  float second[4];
};

// The ends of texels that lie between two places on their axis, which has up to three of the channels.
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

// The ends of the texels whose bits are set, of three channels.
FN Ends ends_of(Texels texels, uint which) {
  const Moments moments = moments_of(texels, which);
  const Axis axis = axis_of(moments, 3);
  float least = 1e9f, most = -1e9f;
  for (int i = 0; i < 16; i++) {
    if (((which >> i) & 1u) == 0u) continue;
    const float place = place_on(axis, texels.v[i], 3);
    least = lower(least, place);
    most = higher(most, place);
  }
  return ends_on(axis, least, most, totals_of(moments), 3);
}

// Sums for the ends that fit texels best which lie at given weights (of 64) between them.
struct LeastSquares {
  int first_first, first_second, second_second;
  int first[4];
  int second[4];
};

FN LeastSquares no_squares() {
  LeastSquares squares;
  squares.first_first = squares.first_second = squares.second_second = 0;
  for (int c = 0; c < 4; c++) squares.first[c] = squares.second[c] = 0;
  return squares;
}

FN void add_square(INOUT(LeastSquares) squares, uint texel, int weight) {
  const int other = 64 - weight;
  squares.first_first += other * other;
  squares.first_second += other * weight;
  squares.second_second += weight * weight;
  for (int c = 0; c < 4; c++) {
    squares.first[c] += other * byte_of(texel, c);
    squares.second[c] += weight * byte_of(texel, c);
  }
}

// False where all texels lie at one place: any ends do.
FN bool solve(LeastSquares squares, INOUT(Ends) ends, int channels) {
  const float a = float_of(squares.first_first), b = float_of(squares.first_second),
              d = float_of(squares.second_second);
  PRECISE float determinant = a * d;
  PRECISE float subtracted = b * b;
  determinant = determinant - subtracted;
  if (determinant < 1024.0f) return false;
  PRECISE float scale = 64.0f * reciprocal(determinant);
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
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
  return true;
}
