// SPDX-License-Identifier: Apache-2.0
// Implements fft_rows.kernel for the CPU: four rows at once.

#include "kernels/bloom/wide_passes.h"
#include "kernels/bloom/wide_pixels.h"

// Reads pixel x of four rows.
struct WideSource {
  const Params& p;
  Halves source;
  int row[4];     // -1 for a row of zeros
  bool is_plain;  // true for four rows of halves, with zeros after their end

  WIDE_INLINE Four pixel(int r, int x) const {
    const int index = row[r] * p.source_stride + x;
    if (p.is_float != 0) return four_at(&VIEW(Floats, vec4, source).v[index]);
    return four_of_halves(&source.v[index]);
  }
  WIDE_INLINE POINT at(int i) const {
    if (is_plain) {
      if (i >= p.width) return zero_point();
      return point_of(four_of_halves(&source.v[row[0] * p.source_stride + i]),
                      four_of_halves(&source.v[row[1] * p.source_stride + i]),
                      four_of_halves(&source.v[row[2] * p.source_stride + i]),
                      four_of_halves(&source.v[row[3] * p.source_stride + i]));
    }
    const int x = source_of(shifted(i, p.shift_x, p.points), p.width, p.points, p.padding);
    Four v[4];
    for (int r = 0; r < 4; r++) v[r] = x >= 0 && row[r] >= 0 ? pixel(r, x) : Four{0, 0, 0, 0};
    return point_of(v[0], v[1], v[2], v[3]);
  }
};

// Writes frequencies in order, four at a time, so that whole cache lines are written.
struct WideRowsLast {
  WideLine line;
  const int* order;
  STORED* rows[4];
  int row_count;

  template <int R>
  WEFT_INLINE void run() const {
    const int items = line.count / R;
    for (int first = 0; first < items; first += 4) {
      const int count = min(4, items - first);
      POINT v[4][R];
      for (int i = 0; i < count; i++) {
        const int base = order[first + i] * R;
        WIDE_UNROLL
        for (int q = 0; q < R; q++) v[i][q] = line.at(base + q);
        dft<R>(v[i]);
      }
      for (int q = 0; q < R; q++) {
        for (int i = 0; i < count; i++) {
          const FourLines four = lines_of(v[i][q]);
          for (int r = 0; r < row_count; r++) put_four(rows[r] + first + i + q * items, four.line[r]);
        }
      }
    }
  }
};

FN void wide_rows(const Params& p, int first_row, Halves pixels, STORED* target, POINT* points) {
  const int row_count = min(4, p.padded_rows - first_row);
  WideSource source{p, pixels, {}, p.is_float == 0 && p.padding == 0 && p.shift_x == 0};
  WideRowsLast last{{}, p.order.v, {}, row_count};
  for (int r = 0; r < 4; r++) {
    // A row past the end repeats an existing one and is not stored.
    const int y = first_row + min(r, row_count - 1);
    source.row[r] = source_of(shifted(y, p.shift_y, p.padded_height), p.height, p.padded_height, p.padding);
    source.is_plain = source.is_plain && source.row[r] >= 0;
    last.rows[r] = target + y * p.target_stride;
  }
  WideLine line{points, p.twiddles.v, p.skews, p.points, p.points};
  with_radix(radix_of(p.radices, 0), WideFirstPass{line, source});
  for (int pass = 1; pass + 1 < p.passes; pass++) {
    line.go_on(radix_of(p.radices, pass - 1));
    with_radix(radix_of(p.radices, pass), WideMiddlePass<false>{line});
  }
  last.line = line;
  with_radix(radix_of(p.radices, p.passes - 1), last);
}
