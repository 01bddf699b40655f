// SPDX-License-Identifier: Apache-2.0
// Writes the result of a convolution to pixels. Included between KERNEL_FILE and KERNEL_FILE_END
// after pixels.h and Params; uses the weights and the pixel type of Params.

// Writes pixel `index` of a frame of halves if `is_there`.
FN void put_plain(Halves target, Params p, int index, bool is_there, vec4 value) {
  uvec2 pixel = halves_of(value * vec4(p.weight, p.weight, p.weight, p.alpha_weight));
  KEEP(pixel.x);
  KEEP(pixel.y);
  if (is_there) target.v[index] = pixel;
}
// Writes pixel `index` of the frame.
FN void put_pixel(Halves target, Params p, int index, vec4 value) {
  const vec4 pixel = value * vec4(p.weight, p.weight, p.weight, p.alpha_weight);
  if (p.target_is_float != 0)
    VIEW(Floats, vec4, target).v[index] = pixel;
  else
    target.v[index] = halves_of(pixel);
}

// Writes channel pair `index` of the frame, two per pixel, if `is_there`.
FN void put_plain(Halves target, Params p, int index, bool is_there, vec2 value) {
  uint pair = halves_of(value * vec2(p.weight, (index & 1) == 0 ? p.weight : p.alpha_weight));
  KEEP(pair);
  if (is_there) VIEW(Words, uint, target).v[index] = pair;
}
FN void put_pixel(Halves target, Params p, int index, vec2 value) {
  const vec2 pixel = value * vec2(p.weight, (index & 1) == 0 ? p.weight : p.alpha_weight);
  if (p.target_is_float != 0)
    VIEW(Points, vec2, target).v[index] = pixel;
  else
    VIEW(Words, uint, target).v[index] = halves_of(pixel);
}
