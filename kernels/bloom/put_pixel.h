// SPDX-License-Identifier: Apache-2.0
// What comes out of a convolution to pixels. Included between KERNEL_FILE and KERNEL_FILE_END after pixels.h and Params, whose weights and
// type of pixels it takes.

// Pixel `place` of a frame of halves, where it is there.
FN void put_plain(Halves target, Params p, int place, bool is_there, vec4 value) {
  uvec2 pixel = halves_of(value * vec4(p.weight, p.weight, p.weight, p.alpha_weight));
  KEEP(pixel.x);
  KEEP(pixel.y);
  if (is_there) target.v[place] = pixel;
}
// Pixel `place` of the frame.
FN void put_pixel(Halves target, Params p, int place, vec4 value) {
  const vec4 pixel = value * vec4(p.weight, p.weight, p.weight, p.alpha_weight);
  if (p.target_is_float != 0)
    VIEW(Floats, vec4, target).v[place] = pixel;
  else
    target.v[place] = halves_of(pixel);
}

// Pair of channels `place` of the frame, two a pixel; likewise.
FN void put_plain(Halves target, Params p, int place, bool is_there, vec2 value) {
  uint pair = halves_of(value * vec2(p.weight, (place & 1) == 0 ? p.weight : p.alpha_weight));
  KEEP(pair);
  if (is_there) VIEW(Words, uint, target).v[place] = pair;
}
FN void put_pixel(Halves target, Params p, int place, vec2 value) {
  const vec2 pixel = value * vec2(p.weight, (place & 1) == 0 ? p.weight : p.alpha_weight);
  if (p.target_is_float != 0)
    VIEW(Points, vec2, target).v[place] = pixel;
  else
    VIEW(Words, uint, target).v[place] = halves_of(pixel);
}
