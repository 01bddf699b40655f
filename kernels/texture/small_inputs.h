// SPDX-License-Identifier: Apache-2.0
// Computes the inputs of the networks `small` as fragments of mma.m16n8k16 and wgmma, without
// shared memory. Included between KERNEL_FILE and KERNEL_FILE_END, after small.h and
// kernels/lang/tensor.h.
//
// A step of 16 inputs is a channel. Four lanes have a block's 16 texels, four each: lane t has
// inputs 2t and 2t + 1 of the fragment's row, and those 8 further, two rows of texels below.

struct QuadTexels {
  uint v[4];
};

// Loads the texels of `block` for lane t of four.
FN QuadTexels quad_texels(const Params& p, int block, int t) {
  const int x = 2 * (block % p.blocks_x) - 1, y = 2 * (p.first_row + block / p.blocks_x) - 1;
  const int column = 2 * (t & 1), row = t >> 1;
  QuadTexels texels;
  if (x >= 0 && y >= 0 && x + 4 <= p.width && y + 4 <= p.height) {
    const uint* const first = p.texels.v + (y + row) * p.width + x + column;
    texels.v[0] = first[0];
    texels.v[1] = first[1];
    texels.v[2] = first[2 * p.width];
    texels.v[3] = first[2 * p.width + 1];
  } else {
    UNROLL
    for (int i = 0; i < 4; i++)
      texels.v[i] =
          small_texel(p.texels, p.width, p.height, p.border, x + column + (i & 1), y + row + (i & 2));
  }
  return texels;
}

// Returns all three channels of the sum of the block's 2x2 small texels, with 10 bits each. Lane 0
// has the small texel below left, lane 1 the one below right, lane 2 the one above left.
FN uint quad_sums(const QuadTexels& texels, int t) {
  const uint mine = t == 0 ? texels.v[3] : t == 1 ? texels.v[2] : t == 2 ? texels.v[1] : texels.v[0];
  uint sums = (mine & 255u) | (mine & 0xff00u) << 2 | (mine & 0xff0000u) << 4;
  sums += __shfl_xor_sync(0xffffffffu, sums, 1);
  sums += __shfl_xor_sync(0xffffffffu, sums, 2);
  return sums;
}

// Returns two code values of a channel minus their block's mean, as halves. The result is exact.
FN uint input_pair(uint first, uint second, int channel, uint mean) {
  // The code values as halves of 1024 and more, with an ulp of one.
  const uint codes = __byte_perm(first, second, uint(channel) | uint(4 + channel) << 8);
  uint pair = __byte_perm(codes, 0x64646464u, 0x4240u);
  asm("sub.rn.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x64006400u));
  asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(pair) : "r"(0x24002400u), "r"(mean));
  return pair;
}

// Computes the fragments of two blocks, 8 rows apart.
FN void input_rows(uint (&rows)[3][4], const QuadTexels& upper, const QuadTexels& lower, int t) {
  const uint sums[2] = {quad_sums(upper, t), quad_sums(lower, t)};
  UNROLL
  for (int c = 0; c < 3; c++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      const QuadTexels& texels = i == 0 ? upper : lower;
      const float sum = float(int(sums[i] >> (10 * c) & 1023u)) * -0.00390625f;
      const uint mean = halves_of(sum, sum);
      rows[c][i] = input_pair(texels.v[0], texels.v[1], c, mean);
      rows[c][2 + i] = input_pair(texels.v[2], texels.v[3], c, mean);
    }
  }
}
