// SPDX-License-Identifier: Apache-2.0
// Implements QTGMC's processing of noise: a denoiser measures the noise, which is removed,
// restored, or both. Pictures of noise contain differences as code values around the middle one
// (docs/guide/qtgmc-noise.md).
#pragma once

#include "server/filters/qtgmc/stages.h"

namespace weft::filters::qtgmc {

// The motion for the compensation of noise, in pictures at field rate.
struct NoiseMotion {
  const motion::Motion* motion = nullptr;
  Port vectors{};
  motion::CompensateOptions options{};  // `fields` is set by each use
};

// Returns the pictures of fields without noise.
StatusOr<FieldPictures> add_denoised(const FilterContext& context, Network& network, const Settings& settings,
                                     const FieldPictures& fields, const NoiseMotion& along);
// Returns the noise, the difference of `fields` and `denoised`. If `is_interlaced`, it includes the
// noise of missing lines.
StatusOr<Port> add_noise(const FilterContext& context, Network& network, const Settings& settings,
                         const FieldPictures& fields, const FieldPictures& denoised, const NoiseMotion& along,
                         bool is_interlaced);

// add_restored() adds the noise, multiplied by `by`. add_shown() returns the noise alone, amplified
// by `by`.
StatusOr<Port> add_restored(const FilterContext& context, Network& network, Port pictures, Port noise,
                            double by);
StatusOr<Port> add_shown(const FilterContext& context, Network& network, Port noise, double by);

}  // namespace weft::filters::qtgmc
