// SPDX-License-Identifier: Apache-2.0
// Implements fft_rows_back.kernel for the CPU: four rows at once.

#include "kernels/bloom/wide_passes.h"
#include "kernels/bloom/wide_pixels.h"

// Reads frequencies in order, four at a time, so that whole cache lines are read.
struct WideBackFirst {
  WideLine line;
  const int* order;
  const STORED* rows[4];

  template <int R>
  WEFT_INLINE void run() const {
    const int items = line.count / R;
    for (int first = 0; first < items; first += 4) {
      const int count = min(4, items - first);
      POINT v[4][R];
      for (int q = 0; q < R; q++) {
        for (int i = 0; i < count; i++) {
          const int index = first + i + q * items;
          v[i][q] = conjugate(point_of(four_at(rows[0] + index), four_at(rows[1] + index),
                                       four_at(rows[2] + index), four_at(rows[3] + index)));
        }
      }
      for (int i = 0; i < count; i++) {
        dft<R>(v[i]);
        const int base = order[first + i] * R;
        WIDE_UNROLL
        for (int q = 0; q < R; q++) line.at(base + q) = v[i][q];
      }
    }
  }
};

struct WideBackLast {
  WideLine line;
  const Params& p;
  Halves target;
  int first_row, row_count;
  bool is_plain;  // true for halves

  WIDE_INLINE void put(int x, POINT v) const {
    if (x >= p.width) return;
    const FourLines four = lines_of(conjugate(v));
    for (int r = 0; r < row_count; r++) {
      const int index = (first_row + r) * p.target_stride + x;
      if (is_plain)
        put_halves(&target.v[index], four.line[r] * Four{p.weight, p.weight, p.weight, p.alpha_weight});
      else
        put_pixel(target, p, index, vec4(four.line[r][0], four.line[r][1], four.line[r][2], four.line[r][3]));
    }
  }

  template <int R>
  WEFT_INLINE void run() const {
    const int stride = line.count / R;
    for (int first = 0; first < stride; first += 4) {
      const int count = min(4, stride - first);
      POINT v[4][R];
      for (int i = 0; i < count; i++) {
        WIDE_UNROLL
        for (int q = 0; q < R; q++) v[i][q] = line.at(first + i + q * stride);
        line.twiddle<R>(v[i], first + i);
        dft<R>(v[i]);
      }
      for (int q = 0; q < R; q++)
        for (int i = 0; i < count; i++) put(first + i + q * stride, v[i][q]);
    }
  }
};

FN void wide_rows_back(const Params& p, int first_row, const STORED* source, Halves target, POINT* points) {
  const int row_count = min(4, p.height - first_row);
  const bool is_plain = p.target_is_float == 0;
  WideLine line{points, p.twiddles.v + p.factors, p.skews, p.points, radix_of(p.radices, p.passes - 1)};
  WideBackFirst first{line, p.order.v, {}};
  for (int r = 0; r < 4; r++) first.rows[r] = source + (first_row + min(r, row_count - 1)) * p.source_stride;
  with_radix(line.length, first);
  for (int pass = p.passes - 2; pass > 0; pass--) {
    line.go_back(radix_of(p.radices, pass));
    with_radix(radix_of(p.radices, pass), WideMiddlePass<true>{line});
  }
  line.go_back(radix_of(p.radices, 0));
  with_radix(radix_of(p.radices, 0), WideBackLast{line, p, target, first_row, row_count, is_plain});
}
