// SPDX-License-Identifier: Apache-2.0
// Denoises overlapping blocks in the frequency domain, over space and time, as FFT3DFilter (Tsypin
// 2004) and dfttest (tritical 2007):
//
//   F(k, u, v) = sum over pictures t, rows y, columns x
//                of w(y) w(x) s(t, y, x) e^(-2 pi i (k t / T + (u y + v x) / 16))
//
// for blocks of 16x16 samples at distances of 8 and T = 2 radius + 1 pictures, with the window w(i)
// = sin(pi (i + 1/2) / 16). White noise of the deviation sigma has the power n = 64 T sigma^2 at
// each frequency (64: the sum of the squares of w(y) w(x)). A frequency of the block without its
// mean is multiplied by
//
//   max(|F|^2 - n, 0) / |F|^2                                            (Wiener)
//
// The block of the middle picture is transformed back and multiplied by w(y) w(x) once more: over
// four blocks the squares of the windows add up to 1. Beyond the picture the nearest sample is
// used.
//
// Sums of floats have different last bits on different devices. On one device the bytes are the
// same at every batch size.
#pragma once

#include <span>

#include "server/filters/filter.h"

namespace weft::filters::denoise {

struct DenoiserOptions {
  double sigma = 2;  // in 8-bit code values
  int radius = 1;    // pictures on each side, at most kMostRadius
  bool chroma = true;
};
inline constexpr int kMostRadius = 2;

// Returns `pictures` with less noise.
StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, Port pictures,
                            const DenoiserOptions& options);
// Denoises with given temporal neighbours. `pictures` has one port for each, the earliest first and
// the current picture in the middle.
StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, std::span<const Port> pictures,
                            const DenoiserOptions& options);

}  // namespace weft::filters::denoise
