// SPDX-License-Identifier: Apache-2.0
// The networks `small` on the tensor cores of CUDA: products of halves, sums of floats. Included between KERNEL_FILE and KERNEL_FILE_END, behind
// small.h.
//
// A warp takes 32 blocks, two runs of 16, through all layers in its registers: as PTX lays out mma.m16n8k16, the sums of 16 outputs are the
// fragment of 16 inputs of the next layer. Weights lie in shared memory, of a block's warps together.

#define RUN_BLOCKS 16
#define INPUT_PITCH \
  28  // words from a block's inputs, two halves each, to the next's: without conflicts of banks

// What a warp's lanes share: inputs first, then outputs.
FN uint* warp_words(uint4* team, int fragments, int biases, int outputs) {
  return reinterpret_cast<uint*>(team + fragments) + biases + int(LOCAL_X) / 32 * SMALL_PITCH * outputs;
}

// The inputs of this lane's block, to the warp's words.
FN void load_inputs(const Params& p, uint* words, int lane, int block) {
  const int x = 2 * (block % p.blocks_x), y = 2 * (p.first_row + block / p.blocks_x);
  uint texels[16];
  if (x > 0 && y > 0 && x + 3 <= p.width && y + 3 <= p.height) {
    const uint* const first = p.texels.v + (y - 1) * p.width + x - 1;
    UNROLL
    for (int i = 0; i < 16; i++) texels[i] = first[(i >> 2) * p.width + (i & 3)];
  } else {
    for (int i = 0; i < 16; i++)
      texels[i] = small_texel(p.texels, p.width, p.height, p.border, x + (i & 3) - 1, y + (i >> 2) - 1);
  }
  UNROLL
  for (int c = 0; c < 3; c++) {
    const int sum =
        byte_of(texels[5], c) + byte_of(texels[6], c) + byte_of(texels[9], c) + byte_of(texels[10], c);
    const uint mean = halves_of(float(-sum) * 0.00390625f, float(-sum) * 0.00390625f);
    UNROLL
    for (int i = 0; i < 16; i += 2) {
      // Two codes as halves of 1024 and more, whose last place is one; what follows is exact as well.
      const uint codes = __byte_perm(texels[i], texels[i + 1], uint(c) | uint(4 + c) << 8);
      uint pair = __byte_perm(codes, 0x64646464u, 0x4240u);
      asm("sub.rn.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x64006400u));
      asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(pair) : "r"(0x24002400u), "r"(mean));
      words[lane * INPUT_PITCH + 8 * c + i / 2] = pair;
    }
  }
}

template <int kSteps>
FN void load_runs(uint (&a)[2][kSteps][4], const uint* words, int lane) {
  const int of_four = lane & 3, of_eight = lane >> 2;
  UNROLL
  for (int run = 0; run < 2; run++) {
    UNROLL
    for (int step = 0; step < kSteps; step++) {
      const uint* const row = words + (RUN_BLOCKS * run + of_eight) * INPUT_PITCH + 8 * step + of_four;
      a[run][step][0] = row[0];
      a[run][step][1] = row[8 * INPUT_PITCH];
      a[run][step][2] = row[4];
      a[run][step][3] = row[8 * INPUT_PITCH + 4];
    }
  }
}

// Sums of one pair of 8 outputs: of each run, each half of the pair.
template <int kSteps>
FN void multiply_pair(float (&sums)[2][2][4], const uint (&a)[2][kSteps][4], const uint4* weights, int pairs,
                      int pair, const float* biases, int lane) {
  UNROLL
  for (int half_pair = 0; half_pair < 2; half_pair++) {
    const float* const own = biases + 16 * pair + 8 * half_pair + 2 * (lane & 3);
    UNROLL
    for (int run = 0; run < 2; run++) {
      sums[run][half_pair][0] = sums[run][half_pair][2] = own[0];
      sums[run][half_pair][1] = sums[run][half_pair][3] = own[1];
    }
  }
  UNROLL
  for (int step = 0; step < kSteps; step++) {
    const uint4 b = weights[(step * pairs + pair) * 32 + lane];
    const uint first[2] = {b.x, b.y}, second[2] = {b.z, b.w};
    UNROLL
    for (int run = 0; run < 2; run++) {
      multiply_add(sums[run][0], a[run][step], first);
      multiply_add(sums[run][1], a[run][step], second);
    }
  }
}

FN uint rectified_halves(float first, float second) { return halves_of(max(first, 0.0f), max(second, 0.0f)); }

// A layer that rectifies. Weights and biases move on to the next layer's.
template <int kSteps, int kPairs>
FN void run_layer(const uint (&a)[2][kSteps][4], uint (&next)[2][kPairs][4], const uint4*& weights,
                  const float*& biases, int lane) {
  UNROLL
  for (int pair = 0; pair < kPairs; pair++) {
    float sums[2][2][4];
    multiply_pair<kSteps>(sums, a, weights, kPairs, pair, biases, lane);
    UNROLL
    for (int run = 0; run < 2; run++) {
      next[run][pair][0] = rectified_halves(sums[run][0][0], sums[run][0][1]);
      next[run][pair][1] = rectified_halves(sums[run][0][2], sums[run][0][3]);
      next[run][pair][2] = rectified_halves(sums[run][1][0], sums[run][1][1]);
      next[run][pair][3] = rectified_halves(sums[run][1][2], sums[run][1][3]);
    }
  }
  weights += kSteps * kPairs * 32;
  biases += 16 * kPairs;
}

// The last layer: of each output the 32 blocks, `pitch` words from one output to the next. Outputs from `kept` on are left out.
template <int kSteps, int kPairs>
FN void run_last_layer(const uint (&a)[2][kSteps][4], float* outputs, int pitch, int kept,
                       const uint4* weights, const float* biases, int lane) {
  const int of_four = lane & 3, of_eight = lane >> 2;
  UNROLL
  for (int pair = 0; pair < kPairs; pair++) {
    float sums[2][2][4];
    multiply_pair<kSteps>(sums, a, weights, kPairs, pair, biases, lane);
    UNROLL
    for (int half_pair = 0; half_pair < 2; half_pair++) {
      if (16 * pair + 8 * half_pair >= kept) continue;
      UNROLL
      for (int run = 0; run < 2; run++) {
        UNROLL
        for (int i = 0; i < 4; i++)
          outputs[(16 * pair + 8 * half_pair + 2 * of_four + i % 2) * pitch + RUN_BLOCKS * run + of_eight +
                  i / 2 * 8] = sums[run][half_pair][i];
      }
    }
  }
}
