// SPDX-License-Identifier: Apache-2.0
// What encoders of blocks share: a block's texels, the line through their colours, and a reciprocal that is the same on every device. Included
// between KERNEL_FILE and KERNEL_FILE_END.

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

// A line's direction, of any length; a zero where all colours are one.
struct Axis {
  float v[4];
  float residual;  // the sum of squared distances of the colours to the line
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

// Of the texels whose bits are set. Channels outside `channels`, a mask of bytes, count as 0.
FN Moments moments_of(Texels texels, uint which, uint channels) {
  Moments moments = no_moments();
  for (int i = 0; i < 16; i++)
    if (((which >> i) & 1u) != 0u) add_texel(moments, texels.v[i] & channels);
  return moments;
}

FN Moments without(Moments all, Moments some) {
  Moments rest;
  rest.count = all.count - some.count;
  for (int i = 0; i < 4; i++) rest.sum[i] = all.sum[i] - some.sum[i];
  for (int i = 0; i < 10; i++) rest.product[i] = all.product[i] - some.product[i];
  return rest;
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

// Where products of channels c and d lie.
FN int product_at(int c, int d) {
  const int low = min(c, d), high = max(c, d);
  return low * (7 - low) / 2 + high;
}

// The direction in which the colours vary most, by `steps` of the power method.
FN Axis axis_of(Moments moments, int steps) {
  Axis axis;
  float matrix[10];
  int largest = 0;
  PRECISE float trace = 0.0f;
  for (int c = 0; c < 4; c++) {
    for (int d = c; d < 4; d++) {
      const int at = product_at(c, d);
      matrix[at] = float(moments.count * moments.product[at] - moments.sum[c] * moments.sum[d]);
    }
    trace = trace + matrix[product_at(c, c)];
    if (matrix[product_at(c, c)] > matrix[product_at(largest, largest)]) largest = c;
  }
  for (int c = 0; c < 4; c++) axis.v[c] = c == largest ? 1.0f : 0.0f;
  axis.residual = 0.0f;
  if (!(trace > 0.0f)) {
    axis.v[largest] = 0.0f;
    return axis;
  }
  PRECISE float along = 0.0f;  // of the last product with the axis before it
  PRECISE float length = 1.0f;
  for (int step = 0; step < steps; step++) {
    float next[4];
    float most = 0.0f;
    along = 0.0f;
    length = 0.0f;
    for (int c = 0; c < 4; c++) {
      PRECISE float sum = 0.0f;
      for (int d = 0; d < 4; d++) {
        PRECISE float part = matrix[product_at(c, d)] * axis.v[d];
        sum = sum + part;
      }
      PRECISE float part = sum * axis.v[c];
      along = along + part;
      PRECISE float square = axis.v[c] * axis.v[c];
      length = length + square;
      next[c] = sum;
      most = max(most, abs(sum));
    }
    const float scale = scale_to_one(most);
    for (int c = 0; c < 4; c++) axis.v[c] = next[c] * scale;
  }
  PRECISE float explained = along * reciprocal(length);
  PRECISE float rest = trace - explained;
  PRECISE float residual = rest * reciprocal(float(moments.count));
  axis.residual = max(residual, 0.0f);
  return axis;
}

// Two colours, of 0 to 255 a channel.
struct Ends {
  float first[4];
  float second[4];
};

// The ends of the texels along their axis.
FN Ends ends_of(Texels texels, uint which, uint channels, Moments moments, Axis axis) {
  Ends ends;
  PRECISE float length = 0.0f;
  PRECISE float middle = 0.0f;
  const float per_texel = reciprocal(float(moments.count));
  for (int c = 0; c < 4; c++) {
    PRECISE float square = axis.v[c] * axis.v[c];
    length = length + square;
    PRECISE float mean = float(moments.sum[c]) * per_texel;
    ends.first[c] = mean;
    PRECISE float part = mean * axis.v[c];
    middle = middle + part;
  }
  float least = 1e9f, most = -1e9f;
  for (int i = 0; i < 16; i++) {
    if (((which >> i) & 1u) == 0u) continue;
    PRECISE float place = 0.0f;
    for (int c = 0; c < 4; c++) {
      PRECISE float part = float(byte_of(texels.v[i] & channels, c)) * axis.v[c];
      place = place + part;
    }
    least = min(least, place);
    most = max(most, place);
  }
  const float per_length = length > 0.0f ? reciprocal(length) : 0.0f;
  PRECISE float down = least - middle;
  PRECISE float up = most - middle;
  down = down * per_length;
  up = up * per_length;
  for (int c = 0; c < 4; c++) {
    PRECISE float low = down * axis.v[c];
    PRECISE float high = up * axis.v[c];
    low = ends.first[c] + low;
    high = ends.first[c] + high;
    ends.first[c] = clamp(low, 0.0f, 255.0f);
    ends.second[c] = clamp(high, 0.0f, 255.0f);
  }
  return ends;
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
FN bool solve(LeastSquares squares, INOUT(Ends) ends) {
  const float a = float(squares.first_first), b = float(squares.first_second),
              d = float(squares.second_second);
  PRECISE float determinant = a * d;
  PRECISE float subtracted = b * b;
  determinant = determinant - subtracted;
  if (determinant < 1024.0f) return false;
  PRECISE float scale = 64.0f * reciprocal(determinant);
  for (int c = 0; c < 4; c++) {
    const float x = float(squares.first[c]), y = float(squares.second[c]);
    PRECISE float first = d * x;
    PRECISE float second = a * y;
    PRECISE float less_first = b * y;
    PRECISE float less_second = b * x;
    first = first - less_first;
    second = second - less_second;
    first = first * scale;
    second = second * scale;
    ends.first[c] = clamp(first, 0.0f, 255.0f);
    ends.second[c] = clamp(second, 0.0f, 255.0f);
  }
  return true;
}
