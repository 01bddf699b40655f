// SPDX-License-Identifier: Apache-2.0
// The partitions of a BC7 block, and the order in which they are tried. Included between KERNEL_FILE and KERNEL_FILE_END, behind bc7_lines.h.

#define ORDER_LONGEST 14
#define ORDER_SHORT 6  // is enough where few are tried

// The texels of each subset of a partition.
struct Subsets {
  uint which[3];
};

// Every second bit.
FN uint even_bits(uint bits) {
  uint packed = bits & 0x55555555u;
  packed = (packed | (packed >> 1)) & 0x33333333u;
  packed = (packed | (packed >> 2)) & 0x0f0f0f0fu;
  packed = (packed | (packed >> 4)) & 0x00ff00ffu;
  return (packed | (packed >> 8)) & 0xffffu;
}

FN Subsets subsets_of(int subsets, int pattern) {
  Subsets result;
  if (subsets == 2) {
    result.which[1] = kTwoSubsets[pattern];
    result.which[2] = 0u;
  } else {
    result.which[1] = even_bits(kThreeSubsets[pattern]);
    result.which[2] = even_bits(kThreeSubsets[pattern] >> 1);
  }
  result.which[0] = 0xffffu & ~(result.which[1] | result.which[2]);
  return result;
}

FN bool is_in(Subsets subsets, int subset, int texel) {
  return ((subsets.which[subset] >> texel) & 1u) != 0u;
}

// The square root of a number that is not negative, of products and differences alone.
FN float root_of_float(float value) {
  PRECISE float guess = bits_float(0x5F3759DFu - (float_bits(value) >> 1));
  const float half_value = 0.5f * value;
  CUDA_UNROLL
  for (int i = 0; i < 3; i++) {
    PRECISE float left = half_value * guess;
    left = left * guess;
    left = 1.5f - left;
    guess = guess * left;
  }
  PRECISE float root = value * guess;
  return root;
}

// How far colours lie off a line, times their number; a little less. The sum of the squares of the covariances' eigenvalues is that of all of the
// matrix, and its root is not less than the largest of them, which a line explains.
FN float off_line(Moments moments, int channels) {
  PRECISE float trace = 0.0f;
  PRECISE float squares = 0.0f;
  CUDA_UNROLL
  for (int c = 0; c < 4; c++) {
    CUDA_UNROLL
    for (int d = c; d < 4; d++) {
      if (d >= channels) continue;
      const int at = c * (7 - c) / 2 + d;
      const float value = float_of(moments.count * moments.product[at] - moments.sum[c] * moments.sum[d]);
      PRECISE float square = value * value;
      if (c != d) square = square + square;
      squares = squares + square;
      if (c == d) trace = trace + value;
    }
  }
  PRECISE float off = trace - root_of_float(squares);
  return max(off, 0.0f);
}

// The best partitions, in order: how far texels lie off the lines of their subsets, in the highest bits of a float, and below the partition's
// number.
struct Order {
  uint v[ORDER_LONGEST];
};

FN Order no_order() {
  Order order;
  CUDA_UNROLL
  for (int i = 0; i < ORDER_LONGEST; i++) order.v[i] = 0x7f7fffffu;
  return order;
}

FN void insert(INOUT(Order) order, float residual, int pattern, bool is_long) {
  uint key = (float_bits(residual) & ~63u) | uint(pattern);
  CUDA_UNROLL
  for (int i = 0; i < ORDER_SHORT; i++) {
    const uint less = min(order.v[i], key);
    key = max(order.v[i], key);
    order.v[i] = less;
  }
  if (is_long) {
    CUDA_UNROLL
    for (int i = ORDER_SHORT; i < ORDER_LONGEST; i++) {
      const uint less = min(order.v[i], key);
      key = max(order.v[i], key);
      order.v[i] = less;
    }
  }
}

// The partitions alone, a byte each.
struct Patterns {
  uint v[4];
  int count;
};

// Those of which less than an error is known to remain.
FN Patterns patterns_below(Order order, int error) {
  Patterns patterns;
  patterns.count = 0;
  CUDA_UNROLL
  for (int q = 0; q < 4; q++) {
    patterns.v[q] = 0u;
    CUDA_UNROLL
    for (int k = 0; k < 4; k++) {
      if (4 * q + k >= ORDER_LONGEST) continue;
      const uint key = order.v[4 * q + k];
      patterns.v[q] |= (key & 63u) << (8 * k);
      patterns.count += bits_float(key & 0xffffffc0u) < float(error) ? 1 : 0;
    }
  }
  return patterns;
}

FN int pattern_at(Patterns patterns, int place) {
  const uint word = place < 4    ? patterns.v[0]
                    : place < 8  ? patterns.v[1]
                    : place < 12 ? patterns.v[2]
                                 : patterns.v[3];
  return byte_of(word, place & 3);
}

FN float residual_of(Planes planes, Moments all, int subsets, int pattern, int channels) {
  const Subsets split = subsets_of(subsets, pattern);
  Moments rest = all;
  PRECISE float residual = 0.0f;
  CUDA_UNROLL
  for (int s = 2; s >= 0; s--) {
    if (s >= subsets) continue;
    Moments moments = rest;
    if (s > 0) {
      moments = moments_in(planes, split.which[s], channels);
      rest = without(rest, moments);
    }
    PRECISE float part = off_line(moments, channels) * reciprocal(float_of(moments.count));
    residual = residual + part;
  }
  return residual;
}
