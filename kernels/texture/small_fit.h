// SPDX-License-Identifier: Apache-2.0
// Finds endpoints for the parts of a BC7 block by a simple encoder: along their axis, then one pass
// of least squares. All subsets of a partition are fitted at once, since a texel belongs to one.
// Included between KERNEL_FILE and KERNEL_FILE_END, after bc7_block.h and bc7_lines.h.

// Returns two bytes of a word as the lowest two. The other bytes are 0.
FN uint two_bytes(uint word, int first, int second) {
#if defined(__CUDACC__)
  return __byte_perm(word, 0u, uint(first) | uint(second) << 4 | 0x4400u);
#else
  return uint(byte_of(word, first)) | uint(byte_of(word, second)) << 8;
#endif
}

// The texels of each part. A plane has all texels.
struct PartsTexels {
  int parts;
  uint of[3];
};

FN PartsTexels texels_of_parts(int mode, int pattern) {
  PartsTexels texels;
  texels.parts = kSubsets[mode];
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    uint which = s < texels.parts ? which_of(texels.parts, pattern, s) : 0u;
    KEEP(which);
    texels.of[s] = which;
  }
  return texels;
}

FN bool is_in_part(PartsTexels texels, int part, int i) { return ((texels.of[part] >> i) & 1u) != 0u; }

struct ThreeEnds {
  Ends of[3];
};

// Returns the fitted endpoints of each part in the first `channels` channels. A channel after the
// third must have the same value in all texels.
FN ThreeEnds fitted_ends(Texels texels, Planes planes, PartsTexels which, Coding coding, int channels) {
  ThreeEnds ends;
  Totals totals[3];
  Axis axes[3];
  float least[3];
  float most[3];
  Line lines[3];
  const int changing = min(channels, 3);
  coding.channels = 0xffffffffu >> (32 - 8 * channels);
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    const Moments moments = moments_in(planes, which.of[s], channels);
    totals[s] = totals_of(moments);
    axes[s] = axis_of(moments, changing);
    least[s] = 1e9f;
    most[s] = -1e9f;
  }
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    Axis axis = axes[0];
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= which.parts) continue;
      CUDA_UNROLL
      for (int c = 0; c < 3; c++) axis.v[c] = is_in_part(which, s, i) ? axes[s].v[c] : axis.v[c];
    }
    const float position = position_on(axis, texels.v[i], changing);
    CUDA_UNROLL
    for (int s = 0; s < 3; s++) {
      if (s >= which.parts) continue;
      least[s] = is_in_part(which, s, i) ? lower(least[s], position) : least[s];
      most[s] = is_in_part(which, s, i) ? higher(most[s], position) : most[s];
    }
  }
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    ends.of[s] = ends_on(axes[s], least[s], most[s], totals[s], channels);
    lines[s] = line_between(coding, stored_pair(coding, ends.of[s], -1, channels));
  }
  TexelWords weights;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    Line line = lines[0];
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= which.parts) continue;
      const bool is_mine = is_in_part(which, s, i);
      line.first = is_mine ? lines[s].first : line.first;
      line.second = is_mine ? lines[s].second : line.second;
      line.offset = is_mine ? lines[s].offset : line.offset;
      line.scale = is_mine ? lines[s].scale : line.scale;
    }
    weights.v[i] = weight_along(line, texels.v[i], coding);
  }
  const Weights all = packed_weights(weights);
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    Weights mine;
    CUDA_UNROLL
    for (int q = 0; q < 4; q++) mine.v[q] = all.v[q] & bytes_of((which.of[s] >> (4 * q)) & 15u);
    solve(squares_of(mine, planes, totals[s], changing), ends.of[s], changing);
  }
  return ends;
}
