// SPDX-License-Identifier: Apache-2.0
// Defines texels as values with 6 fractional bits, the filter that upsamples them, and texels
// beyond the borders. Included between KERNEL_FILE and KERNEL_FILE_END.

#define VALUE_ONE 64       // one code value
#define VALUE_LEAST -4096  // lower limit of ringing, below the code values
#define VALUE_MOST 20416

// The weights of Lanczos3 at -1/4, in 4096ths, for the texels from 3 before to 3 after. At +1/4
// they are reversed.
TABLE(int, kQuarter, 7) = {30, -279, 1110, 3658, -546, 123, 0};
// The mean of the two: downsampling of the upsampled values.
TABLE(int, kThereAndBack, 7) = {15, -78, 282, 3658, 282, -78, 15};

// Returns the index of the texel at a position up to 16 before the border, or anywhere after it.
FN int border_at(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == BORDER_WRAP) return (index + 16 * size) % size;
  if (border == BORDER_CLAMP) return index < 0 ? 0 : size - 1;
  const int turned = (index + 16 * size) % (2 * size);
  return turned < size ? turned : 2 * size - 1 - turned;
}

// Rounds a number in 4096ths to an integer.
FN int parts_of(int sum) { return (sum + 2048) >> 12; }

// Four texels in one channel: left and right above, then below.
struct Four {
  int v[4];
};

// Adds the output of row j of the filter's seven rows.
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

// Returns the integer part of a value from 0 to 2^22. Conversion instructions of GPUs are slow, but
// sums can round as needed.
FN int whole_of(float value) {
#if defined(__CUDACC__)
  return int(float_bits(__fadd_rz(value, 8388608.0f)) & 0x7fffffu);
#else
  return int(value);
#endif
}

// Returns the square root, accurate to a few parts in 2^23, for estimates.
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

// Returns the integer square root of `square` (floor), which is below 2^16. The float's root is off
// by at most one.
FN uint root_of(uint square) {
  uint root = uint(whole_of(rough_root(float(square))));
  if (root * root > square) root--;
  if ((root + 1u) * (root + 1u) <= square) root++;
  return root;
}

// Returns a vector's component after normalisation, for lengths from 1 to 2^16 - 1. `most`
// represents 1, 0 represents -1. Floats estimate the quotient, integers make it exact.
FN int unit_part(int component, int length, int most) {
  if (length == 0) return 128 * (most / 255);
  const int twice = 2 * length;
  const float scale = float(most) * rough_reciprocal(float(twice));
  int part = whole_of(max(float(component) * scale + (float(most) * 0.5f + 0.5f), 0.0f));
  const int rest = most * (length + component) + length - part * twice;
  part += rest < 0 ? -1 : rest >= twice ? 1 : 0;
  return clamp(part, 0, most);
}

// Returns 1 if a normal has unit length, within the precision of its code values.
FN bool is_unit(int x, int y, int z) {
  const int a = 2 * x - 255, b = 2 * y - 255, c = 2 * z - 255;
  const int square = a * a + b * b + c * c;
  return square >= UNIT_LEAST * UNIT_LEAST && square <= UNIT_MOST * UNIT_MOST;
}
