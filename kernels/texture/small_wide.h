// SPDX-License-Identifier: Apache-2.0
// Runs the networks `small` on the tensor cores of compute capability 9.0
// (kernels/lang/warpgroup.h). Included between KERNEL_FILE and KERNEL_FILE_END, after
// small_inputs.h.
//
// A group of four warps processes 64 blocks through all layers in its registers: the layout of sums
// of 16 outputs is that of 16 inputs of the next layer. The packed fragments of mma.m16n8k16 hold
// four chunks in the form that wgmma expects: word j of lane l is word l of chunk j.

// Copies fragments as chunks to shared memory: the words selected by `kept` for each step of the
// pairs. The last pair may be half.
FN void spread_fragments(uint4* team, const uint4* packed, int steps, int outputs, int kept) {
  uint* const words = reinterpret_cast<uint*>(team);
  const int pairs = outputs / 16;
  for (int i = LOCAL_X; i < steps * pairs * 32; i += SMALL_LANES) {
    const uint4 four = packed[i];
    const int step = i / (32 * pairs), pair = i / 32 % pairs;
    uint* const to = words + step * kept * 8 + pair * 128 + i % 32;
    to[0] = four.x;
    to[32] = four.y;
    if (16 * pair + 8 < kept) {
      to[64] = four.z;
      to[96] = four.w;
    }
  }
}

template <int kSums>
FN void begin_sums(float (&sums)[kSums], const float* biases, int t) {
  UNROLL
  for (int i = 0; i < kSums; i += 4) {
    const float2 own = *reinterpret_cast<const float2*>(biases + 2 * i + 2 * t);
    sums[i] = sums[i + 2] = own.x;
    sums[i + 1] = sums[i + 3] = own.y;
  }
}

template <int kSteps, int kSums>
FN void multiply_rows(float (&sums)[kSums], const uint (&rows)[kSteps][4], uint weights) {
  begin_multiplications();
  UNROLL
  for (int step = 0; step < kSteps; step++)
    multiply_chunks(sums, rows[step], weights + uint(step * kSums * 2 * 32));
  end_group_of_multiplications();
}

// Rectifies sums and converts them to the next layer's rows.
template <int kSums>
FN void rows_of(uint (&rows)[kSums / 8][4], const float (&sums)[kSums]) {
  UNROLL
  for (int i = 0; i < kSums; i += 2) rows[i / 8][i / 2 % 4] = rectified_halves(sums[i], sums[i + 1]);
}

// Computes a layer with rectification. Advances weights and biases to the next layer.
template <int kSteps, int kOutputs>
FN void run_wide_layer(const uint (&rows)[kSteps][4], uint (&next)[kOutputs / 16][4], uint& weights,
                       const float*& biases, int t) {
  float sums[kOutputs / 2];
  begin_sums(sums, biases, t);
  multiply_rows(sums, rows, weights);
  wait_for_multiplications<0>();
  rows_of(next, sums);
  weights += kSteps * kOutputs * 32;
  biases += kOutputs;
}
