// SPDX-License-Identifier: Apache-2.0
// Defines the layout of the points of row transforms between the passes. Included between
// KERNEL_FILE and KERNEL_FILE_END after fft.h.
//
// A row is divided into pieces of 4 points of 16 bytes. The pieces of 8 rows are consecutive, so
// that both a block of columns, one piece wide, and a block of a few rows access whole cache lines
// of a GPU (128 bytes). With a row-major layout, columns would access half of each line. The CPU's
// wide bodies keep rows contiguous: they cannot be mixed with the other bodies.

#define CHUNK_LOG2 2
#define TILE_ROWS_LOG2 3

// Point i of row y is at tile_row(y, stride) + tile_index(i), in points of 16 bytes. `stride` is
// the number of points per row.
FN int tile_row(int y, int stride) {
  return (y >> TILE_ROWS_LOG2) * (stride << TILE_ROWS_LOG2) +
         ((y & ((1 << TILE_ROWS_LOG2) - 1)) << CHUNK_LOG2);
}
FN int tile_index(int i) {
  return ((i >> CHUNK_LOG2) << (CHUNK_LOG2 + TILE_ROWS_LOG2)) + (i & ((1 << CHUNK_LOG2) - 1));
}

// With RGB_POINTS, point k holds the halves of red and green of column k. The halves of blue
// follow, two columns per point, in separate pieces; column k is at blue_index, in units of half a
// point. Without RGB_POINTS, point k is two complex numbers.
#if defined(RGB_POINTS)
#define IS_RGB true
#else
#define IS_RGB false
#endif
#define BLUE_BEGIN(points) (((points) / 2 + 4) & ~3)
FN int blue_index(int k, int points) { return 2 * tile_index(BLUE_BEGIN(points) + (k >> 1)) + (k & 1); }

// If the compiler finds that a step is whole tiles or whole pieces, the rows t + q step, and the
// columns k + q step, are equally far apart for all q.
#if defined(IS_FIXED_LINE)
#define IS_WHOLE(step, of) ((step) % (of) == 0)
#else
#define IS_WHOLE(step, of) false
#endif
#define IS_WHOLE_TILES(step) IS_WHOLE(step, 1 << TILE_ROWS_LOG2)
#define TILE_INDEX_AT(k, q, step) \
  (IS_WHOLE(step, 4) ? tile_index(k) + (q)*tile_index(step) : tile_index((k) + (q) * (step)))
#define BLUE_INDEX_AT(k, q, step)                                                      \
  (IS_WHOLE(step, 8) ? blue_index(k, LINE_POINTS) + (q) * (2 * tile_index((step) / 2)) \
                     : blue_index((k) + (q) * (step), LINE_POINTS))
// INDICES_AT gives two positions in a row that begins at `begin`: that of red and green, and that
// of blue, or -1 if the plane does not contain blue. The column is from + q items or, past the
// middle, to + r items.
#define INDEX_AT(k, q) (begin + TILE_INDEX_AT(k, q, items))
#define BLUE_AT(k, q) (PLANES == 2 || plane == 1 ? 2 * begin + BLUE_INDEX_AT(k, q, items) : -1)
#define INDICES_AT(from, q, to, r, is_past) \
  ((is_past) ? INDEX_AT(to, r) : INDEX_AT(from, q)), ((is_past) ? BLUE_AT(to, r) : BLUE_AT(from, q))
