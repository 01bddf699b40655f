// SPDX-License-Identifier: Apache-2.0
// Converts between video code values and linear light: transfer functions of ITU-T H.273, extended
// as odd functions below 0, and the position of a pixel's light. Included between KERNEL_FILE and
// KERNEL_FILE_END, after FRAME_BUFFERS.
//
// Curves: 0 ITU-R BT.709, 1 IEC 61966-2-1 (sRGB), 2 SMPTE ST 2084 (PQ), 3 ARIB STD-B67 (HLG), 4
// gamma 2.2, 5 gamma 2.8, 6 linear. Light is 1 at diffuse white: PQ's 203 cd/m2 and HLG's 75%
// (ITU-R BT.2408), else the code value 1.

FRAME_FUNCTIONS

BUFFER(Light, vec4)

FN float linear_of_pq(float v) {
  const float root = pow(min(v, 1.0f), 0.012683313515655966f);  // at most 10,000 cd/m2
  const float light = pow(max(root - 0.8359375f, 0.0f) / (18.8515625f - 18.6875f * root), 6.277394636015326f);
  return light * 49.26108374384236f;
}
FN float pq_of_linear(float light) {
  const float y = pow(light * 0.0203f, 0.1593017578125f);
  return pow((0.8359375f + 18.8515625f * y) / (1.0f + 18.6875f * y), 78.84375f);
}
// The constant 0.26496256 is HLG's light at 75%.
FN float linear_of_hlg(float v) {
  const float light = v <= 0.5f ? v * v / 3.0f : (exp((v - 0.55991073f) / 0.17883277f) + 0.28466892f) / 12.0f;
  return light / 0.26496256f;
}
FN float hlg_of_linear(float white) {
  const float light = white * 0.26496256f;
  if (light <= 1.0f / 12.0f) return sqrt(3.0f * light);
  return 0.17883277f * log(12.0f * light - 0.28466892f) + 0.55991073f;
}

FN float linear_of_code(float code, int curve) {
  const float v = abs(code);
  float light = v;
  if (curve == 0)
    light = v < 0.08124286f ? v / 4.5f : pow((v + 0.09929683f) / 1.09929683f, 2.2222222f);
  else if (curve == 1)
    light = v <= 0.04045f ? v / 12.92f : pow((v + 0.055f) / 1.055f, 2.4f);
  else if (curve == 2)
    light = linear_of_pq(v);
  else if (curve == 3)
    light = linear_of_hlg(v);
  else if (curve == 4)
    light = pow(v, 2.2f);
  else if (curve == 5)
    light = pow(v, 2.8f);
  return code < 0.0f ? -light : light;
}
FN float code_of_linear(float value, int curve) {
  const float light = abs(value);
  float v = light;
  if (curve == 0)
    v = light < 0.018053969f ? light * 4.5f : 1.09929683f * pow(light, 0.45f) - 0.09929683f;
  else if (curve == 1)
    v = light <= 0.0031308f ? light * 12.92f : 1.055f * pow(light, 0.41666667f) - 0.055f;
  else if (curve == 2)
    v = pq_of_linear(light);
  else if (curve == 3)
    v = hlg_of_linear(light);
  else if (curve == 4)
    v = pow(light, 0.45454545f);
  else if (curve == 5)
    v = pow(light, 0.35714286f);
  return value < 0.0f ? -v : v;
}

// Return the number of code values from black to white, and of the whole chroma range. `maximum` is
// the largest code value.
FN float luma_swing(int maximum, int is_full) {
  return is_full != 0 ? float(maximum) : float(maximum + 1) * 0.85546875f;
}
FN float chroma_swing(int maximum, int is_full) {
  return is_full != 0 ? float(maximum) : float(maximum + 1) * 0.875f;
}
FN Light pixel_of(Light frames, int frame, int x, int y, int width, int height) {
  return ADVANCE(Light, vec4, frames,
                 (int64_t(frame) * int64_t(height) + int64_t(y)) * int64_t(width) + int64_t(x));
}
