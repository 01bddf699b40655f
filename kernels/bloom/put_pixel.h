// SPDX-License-Identifier: Apache-2.0
// What comes out of a convolution to pixels, mixed with the scene. Included between KERNEL_FILE and KERNEL_FILE_END after
// pixels.h and Params, whose weights and types of pixels it takes.

FN bool is_mixed(Params p) { return p.scene_weight != 0.0f || p.scene_alpha_weight != 0.0f; }

// Pixel `place` of a frame of halves, of the convolution alone, where it is there.
FN void put_plain(Halves target, Params p, int place, bool is_there, vec4 value) {
  uvec2 pixel = halves_of(value * vec4(p.weight, p.weight, p.weight, p.alpha_weight));
  KEEP(pixel.x);
  KEEP(pixel.y);
  if (is_there) target.v[place] = pixel;
}
// Pixel `place` of the frame.
FN void put_pixel(Halves target, Halves scene, Params p, int place, vec4 value) {
  vec4 pixel = value * vec4(p.weight, p.weight, p.weight, p.alpha_weight);
  if (is_mixed(p)) {
    vec4 under = vec4(0.0f);
    if (p.scene_is_float != 0)
      under = VIEW(Floats, vec4, scene).v[place];
    else
      under = vec4_of_halves(scene.v[place]);
    pixel = pixel + under * vec4(p.scene_weight, p.scene_weight, p.scene_weight, p.scene_alpha_weight);
  }
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
FN void put_pixel(Halves target, Halves scene, Params p, int place, vec2 value) {
  vec2 pixel = value * vec2(p.weight, (place & 1) == 0 ? p.weight : p.alpha_weight);
  if (is_mixed(p)) {
    vec2 under = vec2(0.0f);
    if (p.scene_is_float != 0)
      under = VIEW(Points, vec2, scene).v[place];
    else
      under = vec2_of_halves(VIEW(Words, uint, scene).v[place]);
    pixel = pixel + under * vec2(p.scene_weight, (place & 1) == 0 ? p.scene_weight : p.scene_alpha_weight);
  }
  if (p.target_is_float != 0)
    VIEW(Points, vec2, target).v[place] = pixel;
  else
    VIEW(Words, uint, target).v[place] = halves_of(pixel);
}
