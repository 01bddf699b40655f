// SPDX-License-Identifier: Apache-2.0
// Implements fused.kernel for CUDA's tensor cores: products of halves, sums of floats. Fragments
// follow PTX's mma.m16n8k16: a warp computes 16 samples of 8 channels per step. Features are
// halves. The 16 channels of a sample are adjacent, in two chunks of 16 bytes that are exchanged
// every four samples, so that ldmatrix reads its eight rows without bank conflicts.
#include "kernels/lang/lang.h"
#include "kernels/lang/tensor.h"
#include "kernels/nnedi/edge.h"
#include "kernels/nnedi/fragments.h"
#include "kernels/nnedi/fused.h"
#include "kernels/video/frames.h"

#define PITCH (FUSED_X + 4)  // row stride of features in samples, for both head and body
#define HEAD_SAMPLES (PITCH * (FUSED_Y + 4))
#define BODY_SAMPLES (PITCH * (FUSED_Y + 2))
#define FRAGMENT_ROWS 16
#define HEAD_FRAGMENTS (HEAD_SAMPLES / FRAGMENT_ROWS)
#define BODY_FRAGMENTS ((BODY_SAMPLES + FRAGMENT_ROWS - 1) / FRAGMENT_ROWS)
#define SAMPLE_WORDS (FUSED_CHANNELS / 2)  // words of two halves
#define SOURCE_PITCH (PITCH + 8)           // row stride in halves; the head's window has 8 columns
#define SOURCE_ROWS (FUSED_Y + 7)
// Stride of a tap's products in floats, without bank conflicts.
#define TAP_PITCH (BODY_SAMPLES + 4)
#define EXACT_BITS 12  // bits of a sample that a half holds exactly
// The layout of the team's array in words. The tail's products reuse the space of the head's
// features. The code values, and their remainders beyond halves, reuse that of the body's features.
#define HEADS 0
#define HEAD_WORDS ((BODY_FRAGMENTS * FRAGMENT_ROWS + 2 * PITCH + 8) * SAMPLE_WORDS)
#define BODIES (HEADS + HEAD_WORDS)
#define BODY_WORDS (BODY_FRAGMENTS * FRAGMENT_ROWS * SAMPLE_WORDS)
#define SOURCES (BODIES + BODY_WORDS)
#define SOURCE_WORDS (SOURCE_ROWS * SOURCE_PITCH / 2)
#define WARPS (FUSED_LANES / 32)
#define OWN_ROWS (FUSED_Y / WARPS)  // vertically adjacent missing samples per lane

static_assert(HEAD_SAMPLES % FRAGMENT_ROWS == 0);
static_assert(9 * TAP_PITCH <= HEAD_WORDS && 3 * SOURCE_WORDS <= BODY_WORDS);
static_assert(4 * (SOURCES + 2 * SOURCE_WORDS) == FUSED_TENSOR_BYTES);

KERNEL_FILE(fused)

FUSED_PARAMS
PLANE_FUNCTIONS
EDGE_FUNCTIONS

// Returns the index of the word of a sample's features with a pair of channels.
FN int feature_word(int sample, int pair) {
  return sample * SAMPLE_WORDS + (pair / 4 ^ sample / 4 % 2) * 4 + pair % 4;
}

// Returns two adjacent sums as halves, clamped to at least 0, or 0 beyond the field's border.
FN uint rectified(float first, float second, bool is_inside) {
  return is_inside ? halves_of(max(first, 0.0f), max(second, 0.0f)) : 0u;
}

TEAM_KERNEL(FUSED_LANES, 4, uint, team) {
  FUSED_TILE;
  if (kept < 0) {
    FUSED_COPY
    return;
  }
  uint16_t* const codes = reinterpret_cast<uint16_t*>(team + BODIES);
  // `odd` is a copy of `even` shifted by one sample, so that pairs that begin with an odd column
  // are words too.
  uint16_t* const even = reinterpret_cast<uint16_t*>(team + SOURCES);
  uint16_t* const odd = even + 2 * SOURCE_WORDS;
  // The remainders have the same second copy.
  uint16_t* const even_rest = codes + 2 * SOURCE_WORDS;
  uint16_t* const odd_rest = even_rest + 2 * SOURCE_WORDS;
  const bool has_rest = p.maximum >= 1 << EXACT_BITS;
  const float scale = 4.0f / float(p.maximum + 1);  // scales to (8-bit sample - 128) / 64
  EACH(i, SOURCE_ROWS * SOURCE_PITCH) {
    const int row = field_row(y_begin - 3 + i / SOURCE_PITCH, first, rows, height, kept);
    const int code =
        int(source.v[int64_t(row) * stride + clamp(x_begin - 5 + i % SOURCE_PITCH, 0, width - 1)]);
    const float sample = float(code) * scale - 2.0f;
    const half rounded(sample), rest(sample - float(rounded));
    codes[i] = uint16_t(code);
    even[i] = rounded.bits;
    even_rest[i] = rest.bits;
    if (i > 0) {
      odd[i - 1] = rounded.bits;
      odd_rest[i - 1] = rest.bits;
    }
  }
  TEAM_BARRIER();

  const int lane = LOCAL_X % 32, warp = LOCAL_X / 32;
  int cubics[OWN_ROWS], is_hard[OWN_ROWS], any = 0;
  UNROLL
  for (int i = 0; i < OWN_ROWS; i++) {
    const int y = warp * OWN_ROWS + i, kept_row = 2 * (y_begin + y) - first;
    const uint16_t* const window = codes + (y + 2) * SOURCE_PITCH + lane + 2;
    int lowest = 65535, highest = 0;
    UNROLL
    for (int k = 0; k < WINDOW_TAPS; k++) {
      const int code = window[k / HEAD_X * SOURCE_PITCH + k % HEAD_X];
      lowest = min(lowest, code);
      highest = max(highest, code);
    }
    const uint16_t* const column = window + 3;
    cubics[i] = 9 * (int(column[SOURCE_PITCH]) + int(column[2 * SOURCE_PITCH])) -
                (int(column[0]) + int(column[3 * SOURCE_PITCH]));
    const bool is_inside = lane < columns && y_begin + y < rows;
    if (is_inside && kept_row >= 0)
      row_of(target, turned_row(kept_row, height, kept), stride).v[x_begin + lane] =
          PIXEL(column[SOURCE_PITCH]);
    is_hard[i] = is_inside && kept_row + 1 < height && highest - lowest > p.threshold;
    if (is_inside && kept_row + 1 < height && is_hard[i] == 0)
      row_of(target, turned_row(kept_row + 1, height, kept), stride).v[x_begin + lane] =
          PIXEL(clamp((cubics[i] + 8) >> 4, 0, p.maximum));
    any |= is_hard[i];
  }
  if (__syncthreads_or(any) == 0) return;

  // The lane's column pair and row in a fragment.
  const int of_four = lane % 4, of_eight = lane / 4;
  const auto fragment = [&](int step, int word) {
    return p.fragments.v[step * FRAGMENT_STEP + word * 32 + lane];
  };
  const auto is_in_map = [&](int sample, int border) {
    const int x = x_begin - border + sample % PITCH, y = y_begin - border + sample / PITCH;
    return x >= 0 && x < width && y >= 0 && y < rows;
  };
  const auto store = [&](uint* features, int sample, int border, const float(&sums)[2][4]) {
    UNROLL
    for (int half_rows = 0; half_rows < 2; half_rows++) {
      const int at = sample + 8 * half_rows + of_eight;
      const bool is_inside = is_in_map(at, border);
      UNROLL
      for (int n = 0; n < 2; n++)
        features[feature_word(at, 4 * n + of_four)] =
            rectified(sums[n][2 * half_rows], sums[n][2 * half_rows + 1], is_inside);
    }
  };
  const auto biases_of = [&](int begin, float(&sums)[2][4]) {
    UNROLL
    for (int n = 0; n < 2; n++) UNROLL
    for (int i = 0; i < 4; i++) sums[n][i] = p.weights.v[begin + 8 * n + 2 * of_four + i % 2];
  };

  {
    uint b[2][2][2];
    UNROLL
    for (int i = 0; i < 8; i++) b[i / 4][i / 2 % 2][i % 2] = fragment(FUSED_HEAD_STEPS + i / 2, i % 2);
    float biases[2][4];
    biases_of(FUSED_HEAD_BIAS, biases);
    for (int group = warp; group < HEAD_FRAGMENTS; group += WARPS) {
      const int sample = group * FRAGMENT_ROWS + of_eight;
      int windows[2];
      bool is_even[2];
      UNROLL
      for (int i = 0; i < 2; i++) {
        const int x = (sample + 8 * i) % PITCH, y = (sample + 8 * i) / PITCH;
        is_even[i] = x % 2 == 0;
        windows[i] = y * SOURCE_PITCH + x + 2 * of_four - (is_even[i] ? 0 : 1);
      }
      float sums[2][4];
      UNROLL
      for (int i = 0; i < 8; i++) sums[i / 4][i % 4] = biases[i / 4][i % 4];
      const auto add = [&](const uint16_t* even_samples, const uint16_t* odd_samples) {
        const uint16_t* const first_rows = (is_even[0] ? even_samples : odd_samples) + windows[0];
        const uint16_t* const second_rows = (is_even[1] ? even_samples : odd_samples) + windows[1];
        UNROLL
        for (int k = 0; k < 2; k++) {
          const int row = 2 * k * SOURCE_PITCH;
          const uint a[4] = {two_halves(first_rows + row), two_halves(second_rows + row),
                             two_halves(first_rows + row + SOURCE_PITCH),
                             two_halves(second_rows + row + SOURCE_PITCH)};
          UNROLL
          for (int n = 0; n < 2; n++) multiply_add(sums[n], a, b[k][n]);
        }
      };
      add(even, odd);
      if (has_rest) add(even_rest, odd_rest);
      store(team + HEADS, group * FRAGMENT_ROWS, 2, sums);
    }
  }
  TEAM_BARRIER();

  // The sample, and the half of its channels, that a lane addresses for ldmatrix.
  const int fetched = lane % 16, fetched_half = lane / 16;
  {
    uint b[9][2][2];
    UNROLL
    for (int i = 0; i < 36; i++) b[i / 4][i / 2 % 2][i % 2] = fragment(FUSED_BODY_STEPS + i / 2, i % 2);
    float biases[2][4];
    biases_of(FUSED_BODY_BIAS, biases);
    for (int group = warp; group < BODY_FRAGMENTS; group += WARPS) {
      float sums[2][4];
      UNROLL
      for (int i = 0; i < 8; i++) sums[i / 4][i % 4] = biases[i / 4][i % 4];
      UNROLL
      for (int tap = 0; tap < 9; tap++) {
        const int sample = group * FRAGMENT_ROWS + fetched + tap / 3 * PITCH + tap % 3;
        uint a[4];
        load_matrices(a, team + HEADS + feature_word(sample, 4 * fetched_half));
        UNROLL
        for (int n = 0; n < 2; n++) multiply_add(sums[n], a, b[tap][n]);
      }
      store(team + BODIES, group * FRAGMENT_ROWS, 1, sums);
    }
  }
  TEAM_BARRIER();

  float* const taps = reinterpret_cast<float*>(team + HEADS);
  {
    uint b[2][2];
    UNROLL
    for (int i = 0; i < 4; i++) b[i / 2][i % 2] = fragment(FUSED_TAIL_STEPS + i / 2, i % 2);
    for (int group = warp; group < BODY_FRAGMENTS; group += WARPS) {
      uint a[4];
      load_matrices(a, team + BODIES + feature_word(group * FRAGMENT_ROWS + fetched, 4 * fetched_half));
      float sums[2][4] = {};
      UNROLL
      for (int n = 0; n < 2; n++) multiply_add(sums[n], a, b[n]);
      UNROLL
      for (int i = 0; i < 2; i++) {
        const int sample = group * FRAGMENT_ROWS + 8 * i + of_eight;
        if (sample >= BODY_SAMPLES) continue;
        taps[2 * of_four * TAP_PITCH + sample] = sums[0][2 * i];
        taps[(2 * of_four + 1) * TAP_PITCH + sample] = sums[0][2 * i + 1];
        if (of_four == 0) taps[8 * TAP_PITCH + sample] = sums[1][2 * i];
      }
    }
  }
  TEAM_BARRIER();

  const float bias = p.weights.v[FUSED_TAIL_BIAS];
  UNROLL
  for (int i = 0; i < OWN_ROWS; i++) {
    if (is_hard[i] == 0) continue;
    const int y = warp * OWN_ROWS + i;
    float sum = bias;
    UNROLL
    for (int tap = 0; tap < 9; tap++) sum += taps[tap * TAP_PITCH + (y + tap / 3) * PITCH + lane + tap % 3];
    const float value = (float(cubics[i]) + float(p.maximum + 1) * sum) * 0.0625f + 0.5f;
    row_of(target, turned_row(2 * (y_begin + y) - first + 1, height, kept), stride).v[x_begin + lane] =
        PIXEL(int(floor(clamp(value, 0.0f, float(p.maximum)))));
  }
}

KERNEL_FILE_END
