// SPDX-License-Identifier: Apache-2.0
// What the kernels of the edge network share: where a field's rows lie, and the tiles that they work on.
//
// A plane of a picture has the rows of one field; those between are to be made. The map is what the network works on: row m of it is the
// missing row between rows m and m + 1 of the field. A picture whose bottom field is kept is worked on upside down, so that a mirrored
// picture gives the mirrored result. Where its height is odd its field then begins with row 1 of the map.
//
// A block makes a tile of the map. Feature maps are planes of floats, one for each channel, with a border of zeros around.
#ifndef KERNELS_NNEDI_EDGE_H
#define KERNELS_NNEDI_EDGE_H

#define TILE_X 32
#define TILE_Y 8
#define HEAD_X 7  // of the head: columns x - 3 to x + 3
#define HEAD_Y 4  // rows y - 1 to y + 2 of the field
#define WINDOW_TAPS (HEAD_X * HEAD_Y)
#define SOURCE_X (TILE_X + HEAD_X - 1)  // of what a tile is made from
#define SOURCE_Y (TILE_Y + HEAD_Y - 1)
#define FAR 64          // a tile's reach where no sample of the tiles around it is hard
#define FEATURE_LEFT 8  // floats before a row of a feature map, of which the last is its border

// p.maps has MAP_INTS for each plane.
#define MAP_INTS 8
#define MAP_TILES_X 0
#define MAP_TILES_Y 1
#define MAP_STRIDE 2    // floats from a row of features to the next
#define MAP_CHANNEL 3   // floats from a channel to the next
#define MAP_FEATURES 4  // where the plane's features begin, in FEATURE_UNITs
#define MAP_TILES 5     // its first tile's number
#define MAP_WIDTH 6
#define MAP_ROWS 7
#define FEATURE_UNIT 64
#define MAP(number) p.maps.v[plane * MAP_INTS + (number)]

// Which rows of a picture are its field: p.parity is where a unit of the parities' port lies in a row of the table, or one of these.
#define PARITY_OF_FLAGS (-1)  // as for deinterlacers
#define PARITY_TOP_KEPT (-2)

#define EDGE_PARAMS                              \
  Table maps;                                    \
  int unit;                                      \
  int target; /* which of the unit's pictures */ \
  int parity;

// Declares the block's tile: the planes' kernels have blocks of one tile each.
#define TILE_OF_BLOCK(plane_number)                                 \
  const int plane = plane_number;                                   \
  const int tile_x = GROUP_X, tile_y = GROUP_Y;                     \
  const int tiles_x = MAP(MAP_TILES_X), tiles_y = MAP(MAP_TILES_Y); \
  const bool is_inside = tile_x < tiles_x && tile_y < tiles_y;      \
  const int tile = MAP(MAP_TILES) + tile_y * tiles_x + tile_x;      \
  const int x_begin = tile_x * TILE_X, y_begin = tile_y * TILE_Y

// And the picture; kept < 0: all of its rows are.
#define PICTURE_OF_BLOCK                                                                               \
  TILE_OF_BLOCK(GROUP_Z);                                                                              \
  const int entry = p.unit * p.row;                                                                    \
  const int width = plane == 0 ? p.width : p.chroma_width;                                             \
  const int height = plane == 0 ? p.height : p.chroma_height;                                          \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                                          \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2;                        \
  const int kept = height == 1 ? -1 : kept_rows(p.arena, p.table, p.place, entry, p.target, p.parity); \
  Plane source = plane_at(p.arena, FRAME_PLACE(entry, 0), p.place, plane_offset)
// And the map of it that a network of our own works on, turned so that the first row is kept.
#define MAP_OF_BLOCK                 \
  PICTURE_OF_BLOCK;                  \
  const int rows = (height + 1) / 2; \
  const int first = kept == 1 ? height & 1 : 0

#define EDGE_FUNCTIONS                                                                                 \
  FN int kept_rows(Plane arena, Table table, int place, int entry, int target, int parity) {           \
    if (parity >= 0) return VIEW(Table, int, plane_at(arena, table.v[entry + parity], place, 0)).v[0]; \
    if (parity == PARITY_TOP_KEPT) return 0;                                                           \
    const int flags = table.v[entry + ROW_FLAGS];                                                      \
    return (flags & FLAG_COPY) != 0 ? -1 : (flags ^ target) & FLAG_BOTTOM_FIRST;                       \
  }                                                                                                    \
  /* The picture's row that is this one from the top, or from the bottom if that is kept. */           \
  FN int turned_row(int row, int height, int kept) { return kept == 1 ? height - 1 - row : row; }      \
  /* The picture's row that the field has there; the border's repeat. */                               \
  FN int field_row(int row, int first, int rows, int height, int kept) {                               \
    return turned_row(2 * clamp(row, first, rows - 1) - first, height, kept);                          \
  }

// Where row y of a channel's features begins, column 0.
#define FEATURE_ROW(y) (((y) + 1) * feature_stride + FEATURE_LEFT)
#define FEATURE_FUNCTIONS                                                                               \
  FN Features channel_at(Features features, int unit, int channel, int channel_floats) {                \
    return ADVANCE(Features, float, features,                                                           \
                   int64_t(unit) * int64_t(FEATURE_UNIT) + int64_t(channel) * int64_t(channel_floats)); \
  }

#endif  // KERNELS_NNEDI_EDGE_H
