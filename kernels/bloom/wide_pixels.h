// SPDX-License-Identifier: Apache-2.0
// Converts pixels between halves and floats, by the CPU's instructions if available.

FN Four four_of_halves(const uvec2* pixel) {
#if defined(__F16C__)
  typedef short Eight __attribute__((vector_size(16)));
  typedef long long Two __attribute__((vector_size(16)));
  long long word;
  __builtin_memcpy(&word, pixel, sizeof(word));
  return __builtin_ia32_vcvtph2ps(Eight(Two{word, 0}));
#else
  const vec4 v = vec4_of_halves(*pixel);
  return Four{v.x, v.y, v.z, v.w};
#endif
}

// Stores halves. The numbers must be in the range of halves.
FN void put_halves_within(uvec2* pixel, Four v) {
#if defined(__F16C__)
  typedef long long Two __attribute__((vector_size(16)));
  const long long word = Two(__builtin_ia32_vcvtps2ph(v, 0))[0];  // to nearest, ties to even
  __builtin_memcpy(pixel, &word, sizeof(word));
#else
  *pixel = uvec2(half2_bits(half2_of(v[0], v[1])), half2_bits(half2_of(v[2], v[3])));
#endif
}
// Stores halves, clamped to the largest half.
FN void put_halves(uvec2* pixel, Four v) {
#if defined(__F16C__)
  const Four most = {65504.0f, 65504.0f, 65504.0f, 65504.0f};
  v = v < -most ? -most : v;
  v = most < v ? most : v;
  put_halves_within(pixel, v);
#else
  *pixel = halves_of(vec4(v[0], v[1], v[2], v[3]));
#endif
}
