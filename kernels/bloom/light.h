// SPDX-License-Identifier: Apache-2.0
// Words for light: four samples a pixel, red, green, blue and alpha. Included between KERNEL_FILE and KERNEL_FILE_END.

FN int light_is_finite(float value) { return (float_bits(value) & 0x7f800000u) != 0x7f800000u ? 1 : 0; }

// What can be spread: no number and what is below 0 become 0, what is above `most` (infinity too) becomes it.
FN float light_scrubbed(float value, float most) {
  const uint bits = float_bits(value);
  const int is_nan = (bits & 0x7fffffffu) > 0x7f800000u ? 1 : 0;
  return is_nan != 0 ? 0.0f : clamp(value, 0.0f, most);
}
// Alpha that is no number, or infinite, becomes 1.
FN float light_alpha(float value) { return light_is_finite(value) != 0 ? value : 1.0f; }

FN float light_luminance(vec4 pixel) { return 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z; }

// The first sample of a pixel.
FN int64_t light_place(int frame, int x, int y, int frame_stride, int stride) {
  return (int64_t(frame) * int64_t(frame_stride) + int64_t(y) * int64_t(stride) + int64_t(x)) * int64_t(4);
}
