// SPDX-License-Identifier: Apache-2.0
// Noise taken out of each frequency of overlapping blocks, over space and time, as FFT3DFilter (Tsypin 2004) and dfttest (tritical 2007) do:
//
//   F(k, u, v) = sum over pictures t, rows y, columns x of w(y) w(x) s(t, y, x) e^(-2 pi i (k t / T + (u y + v x) / 16))
//
// of blocks of 16x16 samples 8 apart and T = 2 radius + 1 pictures, with the window w(i) = sin(pi (i + 1/2) / 16). White noise of the
// deviation sigma has the power n = 64 T sigma^2 at each frequency (64: the sum of the squares of w(y) w(x)). A frequency of the block without its
// mean is multiplied by
//
//   max(|F|^2 - n, 0) / |F|^2                                            (Wiener)
//
// The block of the picture in the middle is transformed back and multiplied by w(y) w(x) once more: over four blocks the squares of the
// windows add up to 1. Beyond the picture the nearest sample stands in.
//
// Sums are of floats, whose last bits differ between devices; on one device the bytes are the same at every batch size.
#pragma once

#include <span>

#include "server/filters/filter.h"

namespace weft::filters::denoise {

struct DenoiserOptions {
  double sigma = 2;  // codes, as of 8 bits
  int radius = 1;    // pictures to each side, at most kMostRadius
  bool chroma = true;
};
inline constexpr int kMostRadius = 2;

// `pictures` with less noise.
StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, Port pictures,
                            const DenoiserOptions& options);
// What stands for the pictures around is given, one port for each, the earliest first and the own picture in the middle.
StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, std::span<const Port> pictures,
                            const DenoiserOptions& options);

}  // namespace weft::filters::denoise
