// SPDX-License-Identifier: Apache-2.0
// Computes the passes of a transform over wide points, in place, with the formulas of fft.h.
// Included after fft.h, for the CPU only.

// With checks, the parts of a body are not inlined and its loops not unrolled, because checks
// multiply the compile time of a body.
#if defined(WEFT_KERNEL_CHECKS)
#define WIDE_INLINE __attribute__((noinline))
#define WIDE_UNROLL
#else
#define WIDE_INLINE WEFT_INLINE
#define WIDE_UNROLL UNROLL
#endif

// Calls work.run<R>() with the radix R. Not inlined, so that lines of the same kind share the code.
template <class Work>
static __attribute__((noinline)) void with_radix(int radix, const Work& work) {
  switch (radix) {
    case 2:
      return work.template run<2>();
    case 3:
      return work.template run<3>();
    case 4:
      return work.template run<4>();
    case 5:
      return work.template run<5>();
    case 6:
      return work.template run<6>();
    case 7:
      return work.template run<7>();
    case 8:
      return work.template run<8>();
    case 9:
      return work.template run<9>();
    case 10:
      return work.template run<10>();
    default:
      return work.template run<16>();
  }
}

template <int R>
static WIDE_INLINE void dft(POINT* v) {
  if constexpr (R == 2) {
    DFT_2(v)
  }
  if constexpr (R == 3) {
    DFT_3(v)
  }
  if constexpr (R == 4) {
    DFT_4(v)
  }
  if constexpr (R == 5) {
    DFT_5(v)
  }
  if constexpr (R == 6) {
    DFT_6(v)
  }
  if constexpr (R == 7) {
    DFT_7(v)
  }
  if constexpr (R == 8) {
    DFT_8(v)
  }
  if constexpr (R == 9) {
    DFT_9(v)
  }
  if constexpr (R == 10) {
    DFT_10(v)
  }
  if constexpr (R == 16) {
    DFT_16(v)
  }
}

// A line in the block's memory, and the current pass over it.
struct WideLine {
  POINT* __restrict points;
  const vec2* twiddles;  // factors of the current pass
  int skews;
  int count;   // points of the line
  int length;  // block length of the current pass

  WEFT_INLINE POINT& at(int i) const { return points[i + (i >> (skews & 31)) + (i >> ((skews >> 5) & 31))]; }
  // Move to the next pass, or back to the previous pass. `radix` is that of the pass.
  WEFT_INLINE void go_on(int radix) {
    length /= radix;
    twiddles += length * (radix - 1);
  }
  WEFT_INLINE void go_back(int radix) {
    twiddles -= length * (radix - 1);
    length *= radix;
  }
  // Multiplies points q = 1 ... R - 1 by their factors at t, for a pass of radix R.
  template <int R>
  WEFT_INLINE void twiddle(POINT* v, int t) const {
    const int stride = length / R;
    WIDE_UNROLL
    for (int q = 1; q < R; q++) v[q] = times(v[q], twiddles[(q - 1) * stride + t]);
  }
};

// The first pass. Reads point i of the line from source.at(i).
template <class Source>
struct WideFirstPass {
  WideLine line;
  const Source& source;

  template <int R>
  WEFT_INLINE void run() const {
    const int stride = line.count / R;
    for (int t = 0; t < stride; t++) {
      POINT v[R];
      WIDE_UNROLL
      for (int q = 0; q < R; q++) v[q] = source.at(t + q * stride);
      dft<R>(v);
      line.twiddle<R>(v, t);
      WIDE_UNROLL
      for (int q = 0; q < R; q++) line.at(t + q * stride) = v[q];
    }
  }
};

// A pass between the first and the last.
template <bool kIsBack>
struct WideMiddlePass {
  WideLine line;

  template <int R>
  WEFT_INLINE void run() const {
    const int stride = line.length / R;
    for (int block = 0; block < line.count; block += line.length) {
      for (int t = 0; t < stride; t++) {
        POINT v[R];
        WIDE_UNROLL
        for (int q = 0; q < R; q++) v[q] = line.at(block + t + q * stride);
        if (kIsBack) line.twiddle<R>(v, t);
        dft<R>(v);
        if (!kIsBack) line.twiddle<R>(v, t);
        WIDE_UNROLL
        for (int q = 0; q < R; q++) line.at(block + t + q * stride) = v[q];
      }
    }
  }
};
