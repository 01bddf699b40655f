// SPDX-License-Identifier: Apache-2.0
// The network's first and its last layer as layer_wide.h makes those between, and the kernel's body for all of them.

#include "kernels/texture/layer_wide.h"

#define FIRST_X 32  // texels of the first layer's strips, in which columns of a product may be any texels
#define FIRST_Y 4
#define PART_CHANNELS 12  // of the last layer
#define PART_PITCH 152    // floats of a channel: 18 rows of 8, and what spares conflicts of banks

static_assert(FIRST_X * FIRST_Y == STRIP_TEXELS);
static_assert(WIDE_MADE_BYTES >= 4 * 3 * PART_CHANNELS * PART_PITCH);

// The last layer: 12 channels come out, so a product's rows are those of three taps one below the other, one of each row of taps, a warp's 16 each. The
// fourth warp multiplies by 0. What comes of it is made of all 18 rows of a strip; a texel's sums are those of the rows of taps one row apart.
FN void multiply_parts(float (&sums)[72], const uint (&weights)[STEPS / 3][4], uint texels) {
  UNROLL
  for (int i = 0; i < 72; i++) sums[i] = 0;
  begin_multiplications();
  UNROLL
  for (int step = 0; step < STEPS / 3; step++)
    multiply_columns<ROW_BYTES>(sums, weights[step], texels + uint(step / 4 * TEXEL_BYTES + step % 4 * 32));
  end_group_of_multiplications();
  wait_for_multiplications<0>();
}

FN void pack_parts(const float (&sums)[72], float* parts, const Lane& lane) {
  const int channel = lane.number / 4;
  float* const to = parts + (lane.warp * PART_CHANNELS + channel) * PART_PITCH + lane.number % 4 * 2;
  UNROLL
  for (int row = 0; row < WIDE_ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      if (lane.warp < 3 && channel + 8 * i < PART_CHANNELS)
        *reinterpret_cast<float2*>(to + 8 * i * PART_PITCH + row * STRIP) =
            float2{sums[4 * row + 2 * i], sums[4 * row + 2 * i + 1]};
    }
  }
}

FN void store_parts(const Params& p, const Tile& strip, const float* parts,
                    const float (&biases)[PART_CHANNELS], const Lane& lane) {
  const int x = lane.of_group % STRIP, y = lane.of_group / STRIP;
  if (uint(strip.x + x) >= uint(p.columns) || strip.y + y >= p.rows) return;
  float* to = p.to.v + strip.first + y * p.stride + x;
  UNROLL
  for (int channel = 0; channel < PART_CHANNELS; channel++) {
    float sum = biases[channel];
    UNROLL
    for (int row = 0; row < 3; row++)
      sum += parts[(row * PART_CHANNELS + channel) * PART_PITCH + row * STRIP + lane.of_group];
    *to = sum;
    to += p.plane;
  }
}

FN void make_planes(const Params& p, float* parts, const Lane& lane) {
  const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v);
  uint weights[STEPS / 3][4] = {};
  if (lane.warp < 3) load_weights(weights, packed + lane.warp * (STEPS / 3) * 32, 32);
  float biases[PART_CHANNELS];
  UNROLL
  for (int channel = 0; channel < PART_CHANNELS; channel++)
    biases[channel] = reinterpret_cast<const float*>(packed + STEPS * 32)[channel];
  wait_for_the_kernel_before();
  const auto make = [&](const Tile& tile, uint at) {
    UNROLL
    for (int strip = 0; strip < WIDE_X / STRIP; strip++) {
      if (strip > 0) group_barrier(lane.group);  // the parts have been read
      float sums[72];
      multiply_parts(sums, weights, at + strip * STRIP * TEXEL_BYTES);
      pack_parts(sums, parts, lane);
      group_barrier(lane.group);
      store_parts(p, strip_of(tile, strip), parts, biases, lane);
    }
  };
  // So that a strip's rows of floats fill sectors of 32 bytes: parts of sectors cost memory a read as well.
  each_tile(p, lane, p.first % STRIP, make, [] {});
}

// The first layer: of each texel of a strip its 27 inputs, channel by channel, and zeros up to 32.
FN void load_around(const Params& p, const Tile& strip, float (&around)[27], const Lane& lane) {
  const float* const here =
      p.from.v + strip.first + lane.of_group / FIRST_X * p.stride + lane.of_group % FIRST_X;
  UNROLL
  for (int k = 0; k < 27; k++)
    around[k] = here[int64_t(k / 9) * p.plane + (k % 9 / 3 - 1) * p.stride + k % 3 - 1];
}

FN void pack_around(const float (&around)[27], uint texels, const Lane& lane) {
  const auto value = [&](int k) { return k < 27 ? around[k] : 0.0f; };
  UNROLL
  for (int piece = 0; piece < 4; piece++) {
    uint words[4];
    UNROLL
    for (int i = 0; i < 4; i++) words[i] = halves_of(value(8 * piece + 2 * i), value(8 * piece + 2 * i + 1));
    store_piece(texels + wide_place(lane.of_group, piece), words);
  }
}

FN void make_first_features(const Params& p, const Lane& lane) {
  const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v);
  uint weights[2][4];
  load_weights(weights, packed + lane.warp * 32, PAIRS * 32);
  const Biases biases(reinterpret_cast<const float*>(packed + 2 * PAIRS * 32), lane);
  wait_for_the_kernel_before();
  Share<FIRST_X, FIRST_Y> share(p, lane, 0);
  if (!share.has_more()) return;
  Tile strip = share.take(p);
  float around[27];
  load_around(p, strip, around, lane);
  for (bool is_there = true; is_there;) {
    pack_around(around, lane.tiles, lane);
    show_to_multiplications();
    group_barrier(lane.group);
    Tile following = strip;
    is_there = share.has_more();
    if (is_there) {
      following = share.take(p);
      load_around(p, following, around, lane);
    }
    float sums[64];
    biases.begin(sums);
    begin_multiplications();
    UNROLL
    for (int step = 0; step < 2; step++)
      multiply_columns<EIGHT_BYTES>(sums, weights[step], lane.tiles + uint(step * 32));
    end_group_of_multiplications();
    wait_for_multiplications<0>();
    pack_strip(sums, ALL_VALUES, false, lane);
    group_barrier(lane.group);
    store_strip<FIRST_X>(p, strip, lane);
    strip = following;
  }
}

// The next launch's blocks get their places as soon as this one's leave them, and read their weights before they wait for its end.
FN void make_wide_layer(const Params& p, uint4* team) {
  begin_the_kernel_behind();
  Lane lane;
  // Told to the compiler as the same in a warp.
  lane.group = __shfl_sync(0xffffffffu, LOCAL_X / GROUP_LANES, 0);
  lane.of_group = LOCAL_X % GROUP_LANES;
  lane.warp = __shfl_sync(0xffffffffu, lane.of_group / 32, 0);
  lane.number = LOCAL_X % 32;
  const uint begin = uint(__cvta_generic_to_shared(team));
  const uint skipped = (0u - begin) % EIGHT_BYTES + uint(lane.group) * WIDE_GROUP_BYTES;
  lane.tiles = begin + skipped;
  lane.made = lane.tiles + 2 * WIDE_TILE_BYTES;
  if (p.inputs == 3)
    make_first_features(p, lane);
  else if (p.outputs == 64)
    make_features(p, lane);
  else
    make_planes(p, reinterpret_cast<float*>(team + (skipped + 2 * WIDE_TILE_BYTES) / 16), lane);
}
