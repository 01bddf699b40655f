// SPDX-License-Identifier: Apache-2.0
// Where the points of rows' transforms lie between the passes. Included between KERNEL_FILE and KERNEL_FILE_END after
// fft.h.
//
// A row is cut into pieces of 4 points of 16 bytes, and those of 8 rows lie one behind the other: a block of columns, a
// piece wide, and a block of a few rows both go through memory in whole lines of a GPU's caches, of 128 bytes. Row by row
// columns would touch half of each. The CPU's wide bodies keep their rows whole: they go with none of the others.

#define PIECE_LOG2 2
#define TILE_ROWS_LOG2 3

// Point i of row y lies at tile_row(y, stride) + tile_place(i), counted in points of 16 bytes, `stride` to a row.
FN int tile_row(int y, int stride) {
  return (y >> TILE_ROWS_LOG2) * (stride << TILE_ROWS_LOG2) +
         ((y & ((1 << TILE_ROWS_LOG2) - 1)) << PIECE_LOG2);
}
FN int tile_place(int i) {
  return ((i >> PIECE_LOG2) << (PIECE_LOG2 + TILE_ROWS_LOG2)) + (i & ((1 << PIECE_LOG2) - 1));
}

// With RGB_POINTS column k's halves of red and green are point k, and those of blue follow, two columns a point, in pieces of their own:
// that of column k at blue_place, counted in halves of a point. Without, point k is two complex numbers.
#if defined(RGB_POINTS)
#define IS_RGB true
#else
#define IS_RGB false
#endif
#define BLUE_BEGIN(points) (((points) / 2 + 4) & ~3)
FN int blue_place(int k, int points) { return 2 * tile_place(BLUE_BEGIN(points) + (k >> 1)) + (k & 1); }

// Where the compiler knows that a step is of whole tiles or whole pieces, rows t + q step, and columns k + q step, lie
// equally far apart for all q.
#if defined(IS_FIXED_LINE)
#define IS_WHOLE(step, of) ((step) % (of) == 0)
#else
#define IS_WHOLE(step, of) false
#endif
#define IS_WHOLE_TILES(step) IS_WHOLE(step, 1 << TILE_ROWS_LOG2)
#define TILE_PLACE_AT(k, q, step) \
  (IS_WHOLE(step, 4) ? tile_place(k) + (q)*tile_place(step) : tile_place((k) + (q) * (step)))
#define BLUE_PLACE_AT(k, q, step)                                                      \
  (IS_WHOLE(step, 8) ? blue_place(k, LINE_POINTS) + (q) * (2 * tile_place((step) / 2)) \
                     : blue_place((k) + (q) * (step), LINE_POINTS))
// In a row that begins at `begin`, of column from + q items or, past the middle, of column to + r items: the place of red and green, and
// that of blue, or -1 where the plane does not hold it.
#define PLACE_AT(k, q) (begin + TILE_PLACE_AT(k, q, items))
#define BLUE_AT(k, q) (PLANES == 2 || plane == 1 ? 2 * begin + BLUE_PLACE_AT(k, q, items) : -1)
#define PLACES_AT(from, q, to, r, is_past) \
  ((is_past) ? PLACE_AT(to, r) : PLACE_AT(from, q)), ((is_past) ? BLUE_AT(to, r) : BLUE_AT(from, q))
