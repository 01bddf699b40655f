// SPDX-License-Identifier: Apache-2.0
// Defines the addresses of a field's rows, and the tiles, for the edge network.
//
// A plane of a frame has the rows of one field, and the network interpolates the rows between. It
// processes a map: row m of the map is the missing row between rows m and m + 1 of the field. A
// frame with the bottom field kept is processed upside down, so that a mirrored frame has the
// mirrored result. If the height of such a frame is odd, its field begins with row 1 of the map.
//
// A block has a tile of the map. Feature maps are planes of floats, one per channel, with a border
// of zeros.
#ifndef KERNELS_NNEDI_EDGE_H
#define KERNELS_NNEDI_EDGE_H

#define TILE_X 32
#define TILE_Y 8
#define HEAD_X 7  // window of the first layer: columns x - 3 to x + 3
#define HEAD_Y 4  // rows y - 1 to y + 2 of the field
#define WINDOW_TAPS (HEAD_X * HEAD_Y)
#define SOURCE_X (TILE_X + HEAD_X - 1)  // source samples of a tile
#define SOURCE_Y (TILE_Y + HEAD_Y - 1)
#define FAR 64          // reach of a tile without a hard sample in the adjacent tiles
#define FEATURE_LEFT 8  // floats before a row of a feature map; the last one is the border

// p.maps has MAP_INTS ints for each plane.
#define MAP_INTS 8
#define MAP_TILES_X 0
#define MAP_TILES_Y 1
#define MAP_STRIDE 2    // row stride of features, in floats
#define MAP_CHANNEL 3   // channel stride, in floats
#define MAP_FEATURES 4  // offset of the plane's features, in FEATURE_UNITs
#define MAP_TILES 5     // number of the plane's first tile
#define MAP_WIDTH 6
#define MAP_ROWS 7
#define FEATURE_UNIT 64
#define MAP(number) p.maps.v[plane * MAP_INTS + (number)]

// Selects the rows of a frame that are its field. p.parity is the index, in a row of the table, of
// a unit of the parity port, or one of these constants.
#define PARITY_OF_FLAGS (-1)  // the flags decide, as in deinterlacers
#define PARITY_TOP_KEPT (-2)

#define EDGE_PARAMS                              \
  Table maps;                                    \
  int unit;                                      \
  int target; /* which of the unit's pictures */ \
  int parity;

// Declares the block's tile. Kernels of planes have one tile per block.
#define TILE_OF_BLOCK(plane_number)                                 \
  const int plane = plane_number;                                   \
  const int tile_x = GROUP_X, tile_y = GROUP_Y;                     \
  const int tiles_x = MAP(MAP_TILES_X), tiles_y = MAP(MAP_TILES_Y); \
  const bool is_inside = tile_x < tiles_x && tile_y < tiles_y;      \
  const int tile = MAP(MAP_TILES) + tile_y * tiles_x + tile_x;      \
  const int x_begin = tile_x * TILE_X, y_begin = tile_y * TILE_Y

// Declares the frame as well. kept < 0 means that all of its rows are kept.
#define PICTURE_OF_BLOCK                                                                         \
  TILE_OF_BLOCK(GROUP_Z);                                                                        \
  const int entry = p.unit * p.row;                                                              \
  const int width = plane == 0 ? p.width : p.chroma_width;                                       \
  const int height = plane == 0 ? p.height : p.chroma_height;                                    \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                                    \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2;                  \
  const int kept =                                                                               \
      height == 1 ? -1 : kept_rows(p.arena, p.table, p.slot_samples, entry, p.target, p.parity); \
  Plane source = plane_at(p.arena, FRAME_SLOT(entry, 0), p.slot_samples, plane_offset)
// Declares the map of the built-in network as well. The map is flipped so that the first row is
// kept.
#define MAP_OF_BLOCK                 \
  PICTURE_OF_BLOCK;                  \
  const int rows = (height + 1) / 2; \
  const int first = kept == 1 ? height & 1 : 0

// turned_row() returns the row of the frame, counted from the bottom if the bottom field is kept.
// field_row() returns the row of the frame for a row of the field, repeated beyond the border.
#define EDGE_FUNCTIONS                                                                                \
  FN int kept_rows(Plane arena, Table table, int slot, int entry, int target, int parity) {           \
    if (parity >= 0) return VIEW(Table, int, plane_at(arena, table.v[entry + parity], slot, 0)).v[0]; \
    if (parity == PARITY_TOP_KEPT) return 0;                                                          \
    const int flags = table.v[entry + ROW_FLAGS];                                                     \
    return (flags & FLAG_COPY) != 0 ? -1 : (flags ^ target) & FLAG_BOTTOM_FIRST;                      \
  }                                                                                                   \
  FN int turned_row(int row, int height, int kept) { return kept == 1 ? height - 1 - row : row; }     \
  FN int field_row(int row, int first, int rows, int height, int kept) {                              \
    return turned_row(2 * clamp(row, first, rows - 1) - first, height, kept);                         \
  }

// Index of row y of a channel's features, at column 0.
#define FEATURE_ROW(y) (((y) + 1) * feature_stride + FEATURE_LEFT)
#define FEATURE_FUNCTIONS                                                                               \
  FN Features channel_at(Features features, int unit, int channel, int channel_floats) {                \
    return ADVANCE(Features, float, features,                                                           \
                   int64_t(unit) * int64_t(FEATURE_UNIT) + int64_t(channel) * int64_t(channel_floats)); \
  }

#endif  // KERNELS_NNEDI_EDGE_H
