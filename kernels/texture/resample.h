// SPDX-License-Identifier: Apache-2.0
// Texels as values of 6 fractional bits, the filter that doubles them, and texels beyond the borders. Included between KERNEL_FILE and
// KERNEL_FILE_END.

#define VALUE_ONE 64       // of a code
#define VALUE_LEAST -4096  // what ringing may reach, below codes and above
#define VALUE_MOST 20416

// Lanczos3 at -1/4, of 4096, for the texels from 3 before to 3 behind; at +1/4 they are the other way round.
TABLE(int, kQuarter, 7) = {30, -279, 1110, 3658, -546, 123, 0};
// The mean of the two: what halving makes of what was doubled.
TABLE(int, kThereAndBack, 7) = {15, -78, 282, 3658, 282, -78, 15};

// The texel that stands at a place up to 16 before the border, or anywhere behind.
FN int border_at(int place, int size, int border) {
  if (place >= 0 && place < size) return place;
  if (border == BORDER_WRAP) return (place + 16 * size) % size;
  if (border == BORDER_CLAMP) return place < 0 ? 0 : size - 1;
  const int turned = (place + 16 * size) % (2 * size);
  return turned < size ? turned : 2 * size - 1 - turned;
}

// Of 4096 parts, rounded.
FN int parts_of(int sum) { return (sum + 2048) >> 12; }

// Four texels in one channel: left and right above, then below.
struct Four {
  int v[4];
};

// Adds what row j of the filter's seven made along itself.
FN Four with_row(Four four, int j, int left, int right) {
  four.v[0] += kQuarter[j] * left;
  four.v[1] += kQuarter[j] * right;
  four.v[2] += kQuarter[6 - j] * left;
  four.v[3] += kQuarter[6 - j] * right;
  return four;
}

FN Four in_values(Four four) {
  UNROLL
  for (int k = 0; k < 4; k++) four.v[k] = clamp(parts_of(four.v[k]), VALUE_LEAST, VALUE_MOST);
  return four;
}

// The whole part of 0 to 2^22. GPUs convert slowly, but round sums as one likes.
FN int whole_of(float value) {
#if defined(__CUDACC__)
  return int(float_bits(__fadd_rz(value, 8388608.0f)) & 0x7fffffu);
#else
  return int(value);
#endif
}

// To a few parts in 2^23, for guesses.
FN float rough_root(float value) {
#if defined(__CUDACC__)
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
#else
  return sqrt(value);
#endif
}
FN float rough_reciprocal(float value) {
#if defined(__CUDACC__)
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(value));
  return reciprocal;
#else
  return 1.0f / value;
#endif
}

// The largest integer whose square is `square` or less, below 2^16. A float's root is one off at most.
FN uint root_of(uint square) {
  uint root = uint(whole_of(rough_root(float(square))));
  if (root * root > square) root--;
  if ((root + 1u) * (root + 1u) <= square) root++;
  return root;
}

// A vector's component as that of a vector a unit long, which is no shorter: `most` stands for 1, 0 for -1. Lengths are below 2^16. Floats guess the
// quotient, integers make it exact.
FN int unit_part(int component, int length, int most) {
  if (length == 0) return 128 * (most / 255);
  const int twice = 2 * length;
  const float scale = float(most) * rough_reciprocal(float(twice));
  int part = whole_of(max(float(component) * scale + (float(most) * 0.5f + 0.5f), 0.0f));
  const int rest = most * (length + component) + length - part * twice;
  part += rest < 0 ? -1 : rest >= twice ? 1 : 0;
  return clamp(part, 0, most);
}

// Whether a normal is one unit long, as far as its codes can say.
FN bool is_unit(int x, int y, int z) {
  const int a = 2 * x - 255, b = 2 * y - 255, c = 2 * z - 255;
  const int square = a * a + b * b + c * c;
  return square >= UNIT_LEAST * UNIT_LEAST && square <= UNIT_MOST * UNIT_MOST;
}
