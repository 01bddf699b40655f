// SPDX-License-Identifier: Apache-2.0
// Implements layer.cu for compute capability 9.0 by products of groups of four warps
// (kernels/lang/warpgroup.h). Included by layer.cu.
//
// The rows of a product are output channels and its columns are texels. So the weights, the same
// for all texels, stay in registers for a whole launch, and only features are read from shared
// memory, with half of its bandwidth during multiplications. A column is a texel's 128 bytes, and
// each tap shifts the first column by texels.
//
// Each of a block's two groups has two tiles of 16 x 16 texels: one is fetched while the other is
// multiplied, in strips of 8 x 16 texels. The groups multiply alternately, so that one packs and
// stores while the other multiplies.

#define WIDE_X 16
#define WIDE_Y 16
#define WIDE_PITCH (WIDE_X + 2)
#define WIDE_ROWS (WIDE_Y + 2)
#define STRIP 8  // texels per row
#define STRIP_TEXELS (STRIP * WIDE_Y)
#define STEPS (9 * 4)
#define TEXEL_BYTES 128
#define ROW_BYTES (WIDE_PITCH * TEXEL_BYTES)
#define EIGHT_BYTES (8 * TEXEL_BYTES)  // period of the chunk permutation
#define ALL_VALUES 0xfc00fc00u         // lower bound of all values: -infinity, twice

static_assert(WIDE_TILE_BYTES >= WIDE_ROWS * ROW_BYTES && WIDE_TILE_BYTES % EIGHT_BYTES == 0);
static_assert(WIDE_MADE_BYTES >= STRIP_TEXELS * TEXEL_BYTES && WIDE_MADE_BYTES % EIGHT_BYTES == 0);

// The numbers of this lane, and the addresses of the group's shared memory.
struct Lane {
  int group;           // group in the block
  int warp, of_group;  // warp and lane in the group
  int number;          // lane in the warp
  uint tiles, made;    // addresses of two tiles, and of a strip's output

  // The part of the copies that this lane does: a chunk of every 16th texel.
  __device__ __forceinline__ int chunk() const { return of_group & 7; }
  __device__ __forceinline__ int texel() const { return of_group >> 3; }
};

// Offset of a texel's chunk from an address at a multiple of EIGHT_BYTES.
FN uint wide_offset(int texel, int chunk) { return uint(texel * TEXEL_BYTES + ((chunk ^ (texel & 7)) << 4)); }

// take_turn() waits for the group's turn to multiply. pass_turn() passes the turn to the other
// group.
FN void take_turn(const Lane& lane) { asm volatile("bar.sync %0, 256;" ::"r"(3 + lane.group) : "memory"); }
FN void pass_turn(const Lane& lane) { asm volatile("bar.arrive %0, 256;" ::"r"(4 - lane.group) : "memory"); }

// Loads fragments of 16 channels, packed as the other factor of mma.m16n8k16.
template <int kSteps>
FN void load_weights(uint (&weights)[kSteps][4], const uint4* packed, int pitch) {
  UNROLL
  for (int step = 0; step < kSteps; step++) {
    const uint4 words = packed[step * pitch + SUBGROUP_LANE];
    weights[step][0] = words.x;
    weights[step][1] = words.z;
    weights[step][2] = words.y;
    weights[step][3] = words.w;
  }
}

// The biases of the channels in a lane's sums, and the initial sums.
struct Biases {
  float first, second;

  __device__ __forceinline__ Biases(const float* biases, const Lane& lane) {
    const int channel = 16 * lane.warp + lane.number / 4;
    first = biases[channel];
    second = biases[channel + 8];
  }
  __device__ __forceinline__ void begin(float (&sums)[64]) const {
    UNROLL
    for (int i = 0; i < 64; i++) sums[i] = i / 2 % 2 == 0 ? first : second;
  }
};

// The tiles of a group, of kWidth x kHeight texels: every second tile of its block.
template <int kWidth, int kHeight>
struct Share {
  int left;  // texels of a tile to the left of its output
  int tiles_x, tiles, next, last;
  int rounds;  // number of rounds for both groups

  __device__ __forceinline__ Share(const Params& p, const Lane& lane, int texels_left) {
    left = texels_left;
    tiles_x = (p.columns + left + kWidth - 1) / kWidth;
    tiles = tiles_x * ((p.rows + kHeight - 1) / kHeight);
    const int first = int(int64_t(tiles) * GROUP_X / int(gridDim.x));
    last = int(int64_t(tiles) * (GROUP_X + 1) / int(gridDim.x));
    next = first + lane.group;
    rounds = (last - first + 1) / 2;
  }
  __device__ __forceinline__ bool has_more() const { return next < last; }
  // Every second layer runs backwards, because the last output of the previous layer is still in
  // the cache.
  __device__ __forceinline__ Tile take(const Params& p) {
    const int number = p.adds != 0 ? tiles - 1 - next : next;
    next += 2;
    Tile tile;
    tile.x = number % tiles_x * kWidth - left;
    tile.y = number / tiles_x * kHeight;
    tile.first = p.first + tile.y * p.stride + tile.x;
    return tile;
  }
};

FN Tile strip_of(const Tile& tile, int strip) {
  return {tile.x + strip * STRIP, tile.y, tile.first + strip * STRIP};
}

// Starts to copy a tile with its surroundings.
FN void fetch_tile(const Params& p, const Tile& tile, uint to, const Lane& lane) {
  const int64_t row_bytes = int64_t(p.stride) * TEXEL_BYTES;
  const char* const corner = reinterpret_cast<const char*>(p.from.v) +
                             int64_t(tile.first - p.stride - 1) * TEXEL_BYTES + 16 * lane.chunk();
  const char* from = corner + lane.texel() * TEXEL_BYTES;
  UNROLL
  for (int row = 0; row < WIDE_ROWS; row++) {
    copy_16_bytes_to(to + wide_offset(row * WIDE_PITCH + lane.texel(), lane.chunk()), from);
    from += row_bytes;
  }
  // Copies the last two columns, eight rows at once.
  const int column = WIDE_X + lane.texel() % 2;
  UNROLL
  for (int rows = 0; rows < WIDE_ROWS; rows += 8) {
    const int row = rows + lane.texel() / 2;
    if (row < WIDE_ROWS)
      copy_16_bytes_to(to + wide_offset(row * WIDE_PITCH + column, lane.chunk()),
                       corner + column * TEXEL_BYTES + row * row_bytes);
  }
}

// Returns the address of a strip's chunk that the lane copies. The lane copies a chunk of every
// 16th texel, with kWidth texels per row.
template <int kWidth>
FN uint4* made_at(const Params& p, const Tile& strip, const Lane& lane, int step) {
  const int x = lane.texel() % kWidth + 16 * step % kWidth, y = lane.texel() / kWidth + 16 * step / kWidth;
  return reinterpret_cast<uint4*>(p.to.v) + int64_t(strip.first + y * p.stride + x) * (TEXEL_BYTES / 16) +
         lane.chunk();
}

// Starts to copy the residual of a strip to its position for packing.
FN void fetch_before(const Params& p, const Tile& strip, const Lane& lane) {
  const uint to = lane.made + wide_offset(lane.texel(), lane.chunk());
  UNROLL
  for (int i = 0; i < STRIP_TEXELS / 16; i++)
    copy_16_bytes_to(to + uint(2 * i) * EIGHT_BYTES, made_at<STRIP>(p, strip, lane, i));
}

// Multiplies all nine taps of 64 channels of a strip.
FN void multiply_strip(float (&sums)[64], const uint (&weights)[STEPS][4], uint texels) {
  begin_multiplications();
  UNROLL
  for (int step = 0; step < STEPS; step++) {
    const int tap = step / 4;
    const int at = tap / 3 * ROW_BYTES + tap % 3 * TEXEL_BYTES + step % 4 * 32;
    multiply_columns<ROW_BYTES>(sums, weights[step], texels + uint(at));
  }
  end_group_of_multiplications();
}

// Rounds sums to halves and stores the halves of a texel adjacently: a warp writes two chunks of
// each texel. The halves are clamped to at least `least`, and added to the existing contents if
// `adds`.
FN void pack_strip(const float (&sums)[64], uint least, bool adds, const Lane& lane) {
  const uint to = lane.made + uint(lane.number / 16) * EIGHT_BYTES +
                  wide_offset(lane.number % 8, 2 * lane.warp + lane.number / 8 % 2);
  UNROLL
  for (int row = 0; row < STRIP_TEXELS / 8; row += 2) {
    uint words[4];
    UNROLL
    for (int i = 0; i < 4; i++)
      words[i] = larger_halves(halves_of(sums[4 * row + 2 * i], sums[4 * row + 2 * i + 1]), least);
    if (adds) {
      uint before[4];
      load_turned(before, to + uint(row) * EIGHT_BYTES);
      UNROLL
      for (int i = 0; i < 4; i++) words[i] = sum_of_halves(words[i], before[i]);
    }
    store_turned(to + uint(row) * EIGHT_BYTES, words);
  }
}

template <int kWidth>
FN void store_strip(const Params& p, const Tile& strip, const Lane& lane) {
  const uint from = lane.made + wide_offset(lane.texel(), lane.chunk());
  const int columns = p.columns - strip.x - lane.texel() % kWidth;
  const int rows = p.rows - strip.y - lane.texel() / kWidth;
  UNROLL
  for (int i = 0; i < STRIP_TEXELS / 16; i++) {
    const uint4 made = load_chunk(from + uint(2 * i) * EIGHT_BYTES);
    if (16 * i % kWidth < columns && 16 * i / kWidth < rows) *made_at<kWidth>(p, strip, lane, i) = made;
  }
}

// Calls `make` with each of a group's tiles and its address, once the tile is complete. Calls
// `pass` in its place for a tile that only the other group has.
template <class Make, class Pass>
FN void each_tile(const Params& p, const Lane& lane, int left, const Make& make, const Pass& pass) {
  Share<WIDE_X, WIDE_Y> share(p, lane, left);
  bool is_there = share.has_more();
  Tile tile = {};
  uint at = lane.tiles, other = lane.tiles + WIDE_TILE_BYTES;
  if (is_there) {
    tile = share.take(p);
    fetch_tile(p, tile, at, lane);
  }
  for (int round = 0; round < share.rounds; round++) {
    if (!is_there) {
      pass();
      continue;
    }
    wait_for_all_copies();
    show_to_multiplications();
    group_barrier(lane.group);
    Tile following = tile;
    is_there = share.has_more();
    if (is_there) {
      following = share.take(p);
      fetch_tile(p, following, other, lane);
    }
    make(tile, at);
    tile = following;
    const uint made = at;
    at = other;
    other = made;
  }
}

FN void make_features(const Params& p, const Lane& lane) {
  const uint4* const packed = reinterpret_cast<const uint4*>(p.weights.v);
  uint weights[STEPS][4];
  load_weights(weights, packed + lane.warp * 32, PAIRS * 32);
  const Biases biases(reinterpret_cast<const float*>(packed + STEPS * PAIRS * 32), lane);
  wait_for_the_kernel_before();
  const uint least = p.rectifies != 0 ? 0u : ALL_VALUES;
  const auto make_strip = [&](const Tile& strip, uint texels) {
    if (p.adds != 0) fetch_before(p, strip, lane);
    float sums[64];
    biases.begin(sums);
    take_turn(lane);
    multiply_strip(sums, weights, texels);
    pass_turn(lane);
    wait_for_multiplications<0>();
    if (p.adds != 0) {
      wait_for_all_copies();
      group_barrier(lane.group);
    }
    pack_strip(sums, least, p.adds != 0, lane);
    group_barrier(lane.group);
    store_strip<STRIP>(p, strip, lane);
  };
  if (lane.group == 1) pass_turn(lane);  // group 0 has the first turn
  each_tile(
      p, lane, 0,
      [&](const Tile& tile, uint at) {
        make_strip(tile, at);
        group_barrier(lane.group);  // the output has been read
        make_strip(strip_of(tile, 1), at + STRIP * TEXEL_BYTES);
      },
      [&] {
        for (int strip = 0; strip < WIDE_X / STRIP; strip++) {
          take_turn(lane);
          pass_turn(lane);
        }
      });
  if (lane.group == 0) take_turn(lane);  // receives the last turn
}
