// SPDX-License-Identifier: Apache-2.0
// Measures the visibility of block edges. Included between KERNEL_FILE and KERNEL_FILE_END, after
// the buffer type Words.

// Sums of the second differences on both sides of the line between two texels, in code values of
// red, green and blue: over the lines between blocks of 4x4 texels, and over those within blocks.
struct EdgeSums {
  int across;
  int inside;
  int across_count;  // number of lines, one texel long
  int inside_count;
};

FN EdgeSums no_edges() {
  EdgeSums sums;
  sums.across = 0;
  sums.inside = 0;
  sums.across_count = 0;
  sums.inside_count = 0;
  return sums;
}

// Returns the second differences of four texels in a row, on both sides of the middle line.
FN int bends_of(uint a, uint b, uint c, uint d) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    const int first = byte_of(a, i) - 2 * byte_of(b, i) + byte_of(c, i);
    const int second = byte_of(b, i) - 2 * byte_of(c, i) + byte_of(d, i);
    sum += abs(first) + abs(second);
  }
  return sum;
}

// Adds the lines right of and below a texel, if there are two texels on both sides.
FN EdgeSums with_edges_at(Words image, int width, int height, int x, int y, EdgeSums sums) {
  const int at = y * width + x;
  for (int turn = 0; turn < 2; turn++) {
    const int index = turn == 0 ? x : y, size = turn == 0 ? width : height, step = turn == 0 ? 1 : width;
    if (index < 1 || index + 2 >= size) continue;
    const int bends = bends_of(image.v[at - step], image.v[at], image.v[at + step], image.v[at + 2 * step]);
    const int is_across = (index & 3) == 3 ? 1 : 0;
    sums.across += is_across * bends;
    sums.inside += (1 - is_across) * bends;
    sums.across_count += is_across;
    sums.inside_count += 1 - is_across;
  }
  return sums;
}

// The second difference of a line is explained up to this multiple of the filter's second
// difference on the line and its two neighbours. A network may sharpen an edge of its input, but
// has no reason to create one.
#define COMPARE_EXPLAINED 3

struct UnexplainedSums {
  int across;
  int inside;
};

FN UnexplainedSums none_unexplained() {
  UnexplainedSums sums;
  sums.across = 0;
  sums.inside = 0;
  return sums;
}

// Returns the filter's largest second difference on the line after `index`, and on the adjacent
// lines, if they exist.
FN int explained_at(Words plain, int at, int index, int size, int step) {
  int most = 0;
  for (int k = -1; k < 2; k++) {
    if (index + k < 1 || index + k + 2 >= size) continue;
    const int from = at + k * step;
    most = max(most,
               bends_of(plain.v[from - step], plain.v[from], plain.v[from + step], plain.v[from + 2 * step]));
  }
  return COMPARE_EXPLAINED * most;
}

// Adds the unexplained part of the second differences of the lines right of and below a texel.
FN UnexplainedSums with_unexplained_at(Words made, Words plain, int width, int height, int x, int y,
                                       UnexplainedSums sums) {
  const int at = y * width + x;
  for (int turn = 0; turn < 2; turn++) {
    const int index = turn == 0 ? x : y, size = turn == 0 ? width : height, step = turn == 0 ? 1 : width;
    if (index < 1 || index + 2 >= size) continue;
    const int bends = bends_of(made.v[at - step], made.v[at], made.v[at + step], made.v[at + 2 * step]);
    const int beyond = max(0, bends - explained_at(plain, at, index, size, step));
    const int is_across = (index & 3) == 3 ? 1 : 0;
    sums.across += is_across * beyond;
    sums.inside += (1 - is_across) * beyond;
  }
  return sums;
}
