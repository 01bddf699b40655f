// SPDX-License-Identifier: Apache-2.0
// Defines common parts of block encoders: a block's texels, the line through their colours, and a
// reciprocal that is the same on every device. Included between KERNEL_FILE and KERNEL_FILE_END.

// Unrolls loops on CUDA only. CUDA's compiler otherwise keeps long loops, with their arrays in
// memory. Other compilers would take half a minute for unrolled loops.
#if defined(__CUDACC__)
#define CUDA_UNROLL UNROLL
#else
#define CUDA_UNROLL
#endif

// The sum of this number and a float below 2^22 has the nearest integer in its lowest bits.
#define ROUNDING 12582912.0f
#define ROUNDING_BITS 0x4B400000

// Converts an integer between -2^22 and 2^22 exactly. Conversion instructions of GPUs are slow.
FN float float_of(int value) {
  PRECISE float moved = bits_float(uint(ROUNDING_BITS + value));
  moved = moved - ROUNDING;
  return moved;
}

// On GPUs byte_float() is a sum, because conversions are slow, and the minimum and maximum of
// numbers other than NaN are instructions.
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

// The texels of a block, red in the lowest byte.
struct Texels {
  uint v[16];
};

// Sums over texels of the channels, and of their products (00 01 02 03 11 12 13 22 23 33).
struct Moments {
  int count;
  int sum[4];
  int product[10];
};

// The direction of a line, of any length; zero if all colours are equal. The last channel is 0.
struct Axis {
  float v[4];
};

// Loads the texels of a block. Texels beyond the edges repeat the nearest one.
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

// Returns sums over the texels of the mask.
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

// Sums over a part's texels that suffice to fit its endpoints.
struct Totals {
  int count;
  int sum[4];
  int square;  // sum of the squares of all channels
};

FN Totals totals_of(Moments moments) {
  Totals totals;
  totals.count = moments.count;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) totals.sum[c] = moments.sum[c];
  totals.square = moments.product[0] + moments.product[4] + moments.product[7] + moments.product[9];
  return totals;
}

// Returns 1 / value for normal positive numbers, from products and differences only, which are
// exact on every device.
FN float reciprocal(float value) {
  PRECISE float guess = bits_float(0x7EF311C7u - float_bits(value));
  for (int i = 0; i < 4; i++) {
    PRECISE float left = value * guess;
    left = 2.0f - left;
    guess = guess * left;
  }
  return guess;
}

// Returns a power of two that scales a positive number to between 1 and 2.
FN float scale_to_one(float value) { return bits_float(uint(254 - int(float_bits(value) >> 23)) << 23); }

// Returns the principal direction of up to three channels, by six steps of the power method.
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

FN float position_on(Axis axis, uint texel, int channels) {
  PRECISE float position = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 3; c++) {
    if (c >= channels) continue;
    PRECISE float part = byte_float(texel, c) * axis.v[c];
    position = c == 0 ? part : position + part;
  }
  return position;
}

// Two colours, 0 to 255 per channel.
struct Ends {
  float first[4];
  float second[4];
};

// Returns the endpoints from the range of texels along their axis, with up to three of the
// channels.
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

// Returns the endpoints of the texels of the mask, of three channels.
FN Ends ends_of(Texels texels, uint which) {
  const Moments moments = moments_of(texels, which);
  const Axis axis = axis_of(moments, 3);
  float least = 1e9f, most = -1e9f;
  for (int i = 0; i < 16; i++) {
    if (((which >> i) & 1u) == 0u) continue;
    const float position = position_on(axis, texels.v[i], 3);
    least = lower(least, position);
    most = higher(most, position);
  }
  return ends_on(axis, least, most, totals_of(moments), 3);
}

// Sums that determine the best endpoints in the least squares sense, for texels at given weights
// (in 64ths) between them.
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

// Solves for the endpoints. Returns false if all texels have the same weight, so that any endpoints
// fit.
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
