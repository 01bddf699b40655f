// SPDX-License-Identifier: Apache-2.0
// Orders the partitions of a BC7 block by their expected errors. Included between KERNEL_FILE and
// KERNEL_FILE_END, after bc7_lines.h.

#define ORDER_LONGEST 14
#define ORDER_SHORT 6  // sufficient if few partitions are tested

// The texels of each subset of a partition.
struct Subsets {
  uint which[3];
};

// Packs every second bit of a word.
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

// Returns the square root of a non-negative number, from products and differences only.
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

// Returns a lower bound of the squared distance of colours from a line, times their number. The
// line explains the largest eigenvalue of the covariance matrix. The sum of the squares of all
// eigenvalues is that of all matrix elements, and its root is an upper bound of the largest one.
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

// The best partitions, in order. A word has the error of the subsets' lines in the highest bits of
// a float, and the partition number in the bits below.
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

// Partition numbers, a byte each.
struct Patterns {
  uint v[4];
  int count;
};

// Removes partitions with a lower bound above `error`.
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

FN int pattern_at(Patterns patterns, int position) {
  const uint word = position < 4    ? patterns.v[0]
                    : position < 8  ? patterns.v[1]
                    : position < 12 ? patterns.v[2]
                                    : patterns.v[3];
  return byte_of(word, position & 3);
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
