// SPDX-License-Identifier: Apache-2.0
// Implements fft_columns.kernel for the CPU: four columns at once, and their four mirrors. The
// spectrum has four columns per point too: the real parts of the columns 0, 2, 1, 3 and then the
// imaginary parts for one kernel, or one wide point each of P and M.

#include "kernels/bloom/wide_passes.h"

// Four columns in memory.
struct WideColumns {
  const Params& p;
  STORED* data;
  int column[4];
  bool is_kept[4];  // true for a column that is written back
  bool is_mirror;

  WIDE_INLINE POINT at(int y) const {
    if (y >= p.height) return zero_point();
    const STORED* const row = data + y * p.stride;
    const POINT v = point_of(four_at(row + column[0]), four_at(row + column[1]), four_at(row + column[2]),
                             four_at(row + column[3]));
    return is_mirror ? conjugate(v) : v;
  }
  WIDE_INLINE void put(int y, POINT v) const {
    if (y >= p.height) return;
    STORED* const row = data + y * p.stride;
    const FourLines four = lines_of(is_mirror ? v : conjugate(v));
    for (int i = 0; i < 4; i++)
      if (is_kept[i]) put_four(row + column[i], four.line[i]);
  }
};

struct WideColumnsLast {
  WideLine line;
  const WideColumns& columns;

  template <int R>
  WEFT_INLINE void run() const {
    const int stride = line.count / R;
    for (int t = 0; t < stride; t++) {
      POINT v[R];
      WIDE_UNROLL
      for (int q = 0; q < R; q++) v[q] = line.at(t + q * stride);
      line.twiddle<R>(v, t);
      dft<R>(v);
      WIDE_UNROLL
      for (int q = 0; q < R; q++) columns.put(t + q * stride, v[q]);
    }
  }
};

struct WideColumnsMiddle {
  WideLine a, b;  // the columns and their mirrors
  const Params& p;
  int spectrum_block;

  // Does the same as MIDDLE_PASS of fft_columns.kernel. `index` counts columns.
  WIDE_INLINE void multiply(POINT& u, POINT& v, int index) const {
    auto* const one = &p.spectrum.v[index];
    const int plane = (p.width / 8 + 1) * p.points;  // distance from P to M
    auto* const wide = reinterpret_cast<POINT*>(&VIEW(Points2, vec4, p.spectrum).v[index]);
    if (p.mode == 0) {
      const Four re = four_at(one), im = four_at(one + 2);
      const POINT k = {__builtin_shufflevector(re, re, 0, 0, 1, 1, 2, 2, 3, 3),
                       __builtin_shufflevector(im, im, 0, 0, 1, 1, 2, 2, 3, 3)};
      u = product(u, k);
      v = product(v, k);
    } else if (p.mode == 1) {
      const POINT k = wide[0], m = wide[plane];
      const POINT z = u;
      u = product(z, k) + product(v, m);
      v = product(v, k) + product(z, m);
    } else {
      const POINT first = (u + v) * (0.5f * p.scale);
      const POINT second = turned(u - v) * (0.5f * p.scale);
      if (p.mode == 2) {
        put_four(one, __builtin_shufflevector(first.re, first.re, 0, 2, 4, 6));
        put_four(one + 2, __builtin_shufflevector(first.im, first.im, 0, 2, 4, 6));
      } else {
        wide[0] = (first + second) * 0.5f;
        wide[plane] = (first - second) * 0.5f;
      }
    }
  }

  template <int R>
  WEFT_INLINE void run() const {
    const int items = p.points / R;
    for (int item = 0; item < items; item++) {
      POINT u[R];
      POINT v[R];
      WIDE_UNROLL
      for (int q = 0; q < R; q++) {
        u[q] = a.at(item * R + q);
        v[q] = b.at(item * R + q);
      }
      dft<R>(u);
      dft<R>(v);
      for (int q = 0; q < R; q++) multiply(u[q], v[q], ((spectrum_block * R + q) * items + item) * 4);
      if (p.mode >= 2) continue;
      WIDE_UNROLL
      for (int q = 0; q < R; q++) {
        u[q] = conjugate(u[q]);
        v[q] = conjugate(v[q]);
      }
      dft<R>(u);
      dft<R>(v);
      WIDE_UNROLL
      for (int q = 0; q < R; q++) {
        a.at(item * R + q) = u[q];
        b.at(item * R + q) = v[q];
      }
    }
  }
};

FN void wide_columns(const Params& p, int first_column, STORED* data, POINT* points) {
  WideColumns columns{p, data, {}, {}, false}, mirrors{p, data, {}, {}, true};
  for (int i = 0; i < 4; i++) {
    const bool is_there = first_column + i <= p.width / 2;
    const int k = is_there ? first_column + i : p.width / 2;
    columns.column[i] = k;
    columns.is_kept[i] = is_there;
    mirrors.column[i] = k > 0 ? p.width - k : 0;
    // A column that is its own mirror is written once.
    mirrors.is_kept[i] = is_there && k > 0 && 2 * k != p.width;
  }
  WideLine a{points, p.twiddles.v, p.skews, p.points, p.points};
  WideLine b = a;
  b.points = &a.at(p.points - 1) + 1;
  with_radix(radix_of(p.radices, 0), WideFirstPass{a, columns});
  with_radix(radix_of(p.radices, 0), WideFirstPass{b, mirrors});
  for (int pass = 1; pass + 1 < p.passes; pass++) {
    a.go_on(radix_of(p.radices, pass - 1));
    b.go_on(radix_of(p.radices, pass - 1));
    with_radix(radix_of(p.radices, pass), WideMiddlePass<false>{a});
    with_radix(radix_of(p.radices, pass), WideMiddlePass<false>{b});
  }
  a.go_on(radix_of(p.radices, p.passes - 2));
  b.go_on(radix_of(p.radices, p.passes - 2));
  with_radix(a.length, WideColumnsMiddle{a, b, p, first_column / 4});
  if (p.mode >= 2) return;
  for (int pass = p.passes - 2; pass > 0; pass--) {
    a.go_back(radix_of(p.radices, pass));
    b.go_back(radix_of(p.radices, pass));
    with_radix(radix_of(p.radices, pass), WideMiddlePass<true>{a});
    with_radix(radix_of(p.radices, pass), WideMiddlePass<true>{b});
  }
  a.go_back(radix_of(p.radices, 0));
  b.go_back(radix_of(p.radices, 0));
  with_radix(radix_of(p.radices, 0), WideColumnsLast{a, columns});
  with_radix(radix_of(p.radices, 0), WideColumnsLast{b, mirrors});
}
