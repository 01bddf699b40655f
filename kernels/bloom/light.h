// SPDX-License-Identifier: Apache-2.0
// Defines functions for light: four samples per pixel, red, green, blue and alpha. Included between
// KERNEL_FILE and KERNEL_FILE_END.

FN int light_is_finite(float value) { return (float_bits(value) & 0x7f800000u) != 0x7f800000u ? 1 : 0; }

// Replaces NaN by 0 and infinity by the largest half.
FN float light_finite(float value) {
  if (light_is_finite(value) != 0) return value;
  const int is_nan = (float_bits(value) & 0x7fffffffu) > 0x7f800000u ? 1 : 0;
  return is_nan != 0 ? 0.0f : clamp(value, -65504.0f, 65504.0f);
}
// Returns a finite value, clamped to the range from `least` to `most`.
FN float light_scrubbed(float value, float least, float most) {
  return clamp(light_finite(value), least, most);
}
// Returns the gain of a soft threshold. With b the brightness, T the threshold and n the knee (at
// most T):
//   s = clamp(b - T + n, 0, 2n);   max(b - T, s^2 / (4n)) / b
FN float light_gain(float brightness, float threshold, float knee) {
  if (threshold <= 0.0f) return 1.0f;
  const float soft = clamp(brightness - threshold + knee, 0.0f, 2.0f * knee);
  const float kneed = knee > 0.0f ? soft * soft / (4.0f * knee) : 0.0f;
  return max(brightness - threshold, kneed) / max(brightness, 1e-20f);
}
// Returns alpha, or 1 if it is NaN or infinite.
FN float light_alpha(float value) { return light_is_finite(value) != 0 ? value : 1.0f; }

FN float light_luminance(vec4 pixel) { return 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z; }

// Returns the index of the pixel at position i, which may be outside the `count` pixels, or -1 for
// a black pixel. `padding`: 0 zero, 1 clamp, 2 mirror.
FN int light_index_within(int i, int count, int padding) {
  if (i >= 0 && i < count) return i;
  if (padding == 0) return -1;
  if (padding == 1) return clamp(i, 0, count - 1);
  const int folded = (i < 0 ? -1 - i : i) % (2 * count);
  return folded < count ? folded : 2 * count - 1 - folded;
}

// Returns the index of the first sample of a pixel.
FN int64_t light_index(int frame, int x, int y, int frame_stride, int stride) {
  return (int64_t(frame) * int64_t(frame_stride) + int64_t(y) * int64_t(stride) + int64_t(x)) * int64_t(4);
}
