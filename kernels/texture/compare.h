// SPDX-License-Identifier: Apache-2.0
// What shows at the edges of blocks. Included between KERNEL_FILE and KERNEL_FILE_END, behind the buffer type Words.

// The second differences on both sides of the line between two texels, in codes of red, green and blue, summed up over the lines that lie
// between blocks of 4x4 texels, and over those within blocks.
struct EdgeSums {
  int across;
  int inside;
  int across_count;  // of lines, a texel long
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

// Of four texels in a line, on both sides of its middle.
FN int bends_of(uint a, uint b, uint c, uint d) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    const int first = byte_of(a, i) - 2 * byte_of(b, i) + byte_of(c, i);
    const int second = byte_of(b, i) - 2 * byte_of(c, i) + byte_of(d, i);
    sum += abs(first) + abs(second);
  }
  return sum;
}

// The lines right of and below a texel, where there are two texels on both sides.
FN EdgeSums with_edges_at(Words image, int width, int height, int x, int y, EdgeSums sums) {
  const int at = y * width + x;
  for (int turn = 0; turn < 2; turn++) {
    const int place = turn == 0 ? x : y, size = turn == 0 ? width : height, step = turn == 0 ? 1 : width;
    if (place < 1 || place + 2 >= size) continue;
    const int bends = bends_of(image.v[at - step], image.v[at], image.v[at + step], image.v[at + 2 * step]);
    const int is_across = (place & 3) == 3 ? 1 : 0;
    sums.across += is_across * bends;
    sums.inside += (1 - is_across) * bends;
    sums.across_count += is_across;
    sums.inside_count += 1 - is_across;
  }
  return sums;
}

// A line's second difference counts as explained up to this multiple of the filter's on the line and its two neighbours: a network may sharpen an
// edge that its input has, and has no reason for one of its own.
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

// The filter's largest second difference on the line behind `place`, and on those next to it, where there are such lines.
FN int explained_at(Words plain, int at, int place, int size, int step) {
  int most = 0;
  for (int k = -1; k < 2; k++) {
    if (place + k < 1 || place + k + 2 >= size) continue;
    const int from = at + k * step;
    most = max(most,
               bends_of(plain.v[from - step], plain.v[from], plain.v[from + step], plain.v[from + 2 * step]));
  }
  return COMPARE_EXPLAINED * most;
}

// Of the lines right of and below a texel: what of their second differences is beyond what the filter's explain.
FN UnexplainedSums with_unexplained_at(Words made, Words plain, int width, int height, int x, int y,
                                       UnexplainedSums sums) {
  const int at = y * width + x;
  for (int turn = 0; turn < 2; turn++) {
    const int place = turn == 0 ? x : y, size = turn == 0 ? width : height, step = turn == 0 ? 1 : width;
    if (place < 1 || place + 2 >= size) continue;
    const int bends = bends_of(made.v[at - step], made.v[at], made.v[at + step], made.v[at + 2 * step]);
    const int beyond = max(0, bends - explained_at(plain, at, place, size, step));
    const int is_across = (place & 3) == 3 ? 1 : 0;
    sums.across += is_across * beyond;
    sums.inside += (1 - is_across) * beyond;
  }
  return sums;
}
