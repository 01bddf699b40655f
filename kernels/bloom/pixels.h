// SPDX-License-Identifier: Apache-2.0
// Reads pixels of four channels, halves or floats, as points (R + iG, B + iA), and computes the
// source positions of a padded line. Included between KERNEL_FILE and KERNEL_FILE_END after fft.h.

FN vec4 vec4_of_halves(uvec2 words) {
  const half2 rg = bits_half2(words.x), ba = bits_half2(words.y);
  return vec4(low_float(rg), high_float(rg), low_float(ba), high_float(ba));
}
FN vec2 vec2_of_halves(uint word) {
  const half2 pair = bits_half2(word);
  return vec2(low_float(pair), high_float(pair));
}
// Converts to halves, clamped to the largest half.
FN uint halves_of(vec2 pair) { return half2_bits(half2_within(pair.x, pair.y)); }
FN uvec2 halves_of(vec4 pixel) {
  return uvec2(halves_of(vec2(pixel.x, pixel.y)), halves_of(vec2(pixel.z, pixel.w)));
}

// Returns i + shift modulo `length`.
FN int shifted(int i, int shift, int length) { return i + shift < length ? i + shift : i + shift - length; }

// Returns the source position of sample i of a line padded from `count` to `length` samples, or -1
// for a zero sample. The first half of the padding continues the end of the line, the second half
// its beginning. `padding`: 0 zero, 1 clamp, 2 mirror.
FN int source_of(int i, int count, int length, int padding) {
  if (i < count) return i;
  if (padding == 0) return -1;
  const int past = i - count, before = length - i;
  const bool is_end = past < before;
  if (padding == 1) return is_end ? count - 1 : 0;
  const int folded = (is_end ? past : before - 1) % (2 * count);
  const int mirrored = folded < count ? folded : 2 * count - 1 - folded;
  return is_end ? count - 1 - mirrored : mirrored;
}
