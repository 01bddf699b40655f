// SPDX-License-Identifier: Apache-2.0
// Implements the network's first and last layer for layer_wide.h, and the kernel's body for all
// layers.

#include "kernels/texture/layer_wide.h"

#define FIRST_X 32  // texels of the first layer's strips; columns of its products may be any texels
#define FIRST_Y 4
#define PART_CHANNELS 12  // output channels of the last layer
#define PART_PITCH 152    // channel stride in floats: 18 rows of 8, padded to avoid bank conflicts

static_assert(FIRST_X * FIRST_Y == STRIP_TEXELS);
static_assert(WIDE_MADE_BYTES >= 4 * 3 * PART_CHANNELS * PART_PITCH);

// Multiplies the last layer. It has 12 output channels, so the rows of a product are those of three
// vertically adjacent taps, one of each row of taps, 16 per warp. The fourth warp multiplies by 0.
// The product has all 18 rows of a strip; a texel's sum adds those of the rows of taps, one row
// apart.
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
  // The rows of floats of a strip fill sectors of 32 bytes, because partial sectors cost a memory
  // read as well.
  each_tile(p, lane, p.first % STRIP, make, [] {});
}

// Loads the 27 inputs of the first layer for a texel of a strip, channel by channel, padded with
// zeros to 32.
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
  for (int chunk = 0; chunk < 4; chunk++) {
    uint words[4];
    UNROLL
    for (int i = 0; i < 4; i++) words[i] = halves_of(value(8 * chunk + 2 * i), value(8 * chunk + 2 * i + 1));
    store_chunk(texels + wide_offset(lane.of_group, chunk), words);
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

// Computes a layer. The blocks of the next launch are scheduled as soon as blocks of this one end,
// and read their weights before they wait for the end of this launch.
FN void make_wide_layer(const Params& p, uint4* team) {
  begin_the_kernel_behind();
  Lane lane;
  // The shuffle declares the group to the compiler as uniform in a warp.
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
