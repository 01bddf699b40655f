// SPDX-License-Identifier: Apache-2.0
// QTGMC's work on noise: it is measured by a denoiser, taken out, put back, or both. Pictures of noise hold it as codes around the middle one.
// docs/guide/qtgmc-noise.md.
#pragma once

#include "server/filters/qtgmc/stages.h"

namespace weft::filters::qtgmc {

// What noise is followed along; of pictures at field rate.
struct NoiseMotion {
  const motion::Motion* motion = nullptr;
  Port vectors{};
  motion::CompensateOptions options{};  // its fields are each use's
};

// The pictures of fields without noise.
StatusOr<FieldPictures> add_denoised(const FilterContext& context, Network& network, const Settings& settings,
                                     const FieldPictures& fields, const NoiseMotion& along);
// Their noise, with that of missing lines where `is_interlaced`.
StatusOr<Port> add_noise(const FilterContext& context, Network& network, const Settings& settings,
                         const FieldPictures& fields, const FieldPictures& denoised, const NoiseMotion& along,
                         bool is_interlaced);

// So much of the noise put back; the noise by itself, so many times as strong.
StatusOr<Port> add_restored(const FilterContext& context, Network& network, Port pictures, Port noise,
                            double by);
StatusOr<Port> add_shown(const FilterContext& context, Network& network, Port noise, double by);

}  // namespace weft::filters::qtgmc
